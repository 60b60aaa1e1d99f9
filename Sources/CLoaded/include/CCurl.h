#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/* libcurl, loaded on first use: most commands need no network, and linking the library would cost
   each of them milliseconds at its start. Its few prototypes and numbers are declared in curl.c,
   so that building needs no headers of it. */

enum {
    CCURL_LOADED = 0,
    CCURL_NOT_INSTALLED,
    /* A function is missing: the library is older than 7.62. */
    CCURL_TOO_OLD,
    CCURL_NOT_STARTED
};

/* Loads the library once; returns one of the above. Every other function needs CCURL_LOADED. */
int CCurl_load(void);

/* The parts of an address as the library itself reads it, so that nothing is judged differently
   from how it is used. */
typedef struct {
    /* Lower case; "" when there is no such part. */
    char scheme[16];
    char host[256];
    long port;
    int has_login;
} CCurl_address;

/* Returns 0 when the text is no address of the form scheme://host. */
int CCurl_read_address(const char *text, CCurl_address *address);

/* Makes requests one after the other and keeps connections open in between. Everything set is
   copied and wiped when it is freed. */
typedef struct CCurl_client CCurl_client;

/* NULL when memory is short. */
CCurl_client *CCurl_client_create(void);
void CCurl_client_destroy(CCurl_client *client);

/* Begins a request: HTTP/1.1, TLS 1.2 or newer, certificates and host names checked, redirects not
   followed, proxies as the environment says. What cannot be set fails CCurl_perform. */
void CCurl_begin(CCurl_client *client, const char *url);
/* No proxy, whatever the environment says. */
void CCurl_set_direct(CCurl_client *client);
/* Connects only to public addresses. The proxy that the environment names for "http" or "https" may
   have any address and then gets every request; NULL uses no proxy. */
void CCurl_set_public(CCurl_client *client, const char *proxied_scheme);
/* Whether an IPv4 (4 bytes) or IPv6 address (16 bytes) is neither of this machine nor of a local
   network (IANA special-purpose address registries, RFC 6890). */
int CCurl_is_public(const uint8_t *address, size_t count);
/* "Name: value" */
void CCurl_add_header(CCurl_client *client, const char *header);
/* Makes it a POST. */
void CCurl_set_body(CCurl_client *client, const uint8_t *bytes, size_t count);
/* HTTP Basic. */
void CCurl_set_login(CCurl_client *client, const char *user, const char *password);
/* An access token (HTTP Bearer). */
void CCurl_set_token(CCurl_client *client, const char *token);
/* Opens a connection for this request, which then goes out once. */
void CCurl_set_fresh(CCurl_client *client);
/* Trust anchors instead of the system's: PEM. */
void CCurl_set_anchors(CCurl_client *client, const uint8_t *pem, size_t count);
/* A bundle and a hashed folder instead of the system's; either may be NULL. */
void CCurl_set_anchor_paths(CCurl_client *client, const char *file, const char *folder);
/* The TLS client certificate with its chain, and its key: PEM, not encrypted. */
void CCurl_set_identity(CCurl_client *client, const uint8_t *certificates,
                        size_t certificate_count, const uint8_t *key, size_t key_count);

/* Room for the value of a header that says how an answer may be kept, with its final 0. */
enum { CCURL_FIELD_CAPACITY = 512 };

/* What a request was doing when it ended. */
enum {
    CCURL_RESOLVING = 0,
    CCURL_CONNECTING,
    CCURL_TLS_HANDSHAKE,
    CCURL_WAITING,
    CCURL_RECEIVING
};

/* The pointers hold until the next request begins. */
typedef struct __attribute__((swift_attr("@safe"))) {
    /* A CURLcode, 0 for success. */
    int code;
    int stage;
    /* 0 without an answer. */
    long status;
    /* Of a proxy's answer to CONNECT; 0 without one. */
    long proxy_status;
    /* Whether the answer's body or header was longer than permitted. */
    int is_body_too_large, is_header_too_large;
    /* Connections opened: 0 when one was kept from before. */
    long connection_count;
    /* Whether the kept connection turned out to be dead and the library sent the request again. */
    int was_sent_again;
    const uint8_t *body;
    size_t body_count;
    /* "" when there is none. */
    const char *content_type;
    const char *redirect_url;
    /* Headers of the last answer; "" where there is none, or it is too long. */
    const char *entity_tag, *last_modified, *cache_control;
    /* The last address to which CCurl_set_public forbade to connect; "" without one. */
    const char *refused_address;
    /* The library's words about a failure. */
    const char *message;
    /* What the library says of a TLS alert of the server, besides that it closes; "" without. */
    const char *alert;
    /* 0 where the server does not say. */
    long retry_after_seconds;
    /* Whether the server asked for a client certificate. */
    int asked_for_certificate;
} CCurl_response;

/* Sends the request. The time limits are milliseconds; the second one holds for everything
   together, however slowly bytes drip in. */
void CCurl_perform(CCurl_client *client, long connect_limit, long limit, size_t body_limit,
                   CCurl_response *response);

#endif
