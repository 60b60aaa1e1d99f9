#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/* libcurl, loaded on first use: most commands need no network, and linking the library would
   delay the start of each by milliseconds. Its few prototypes and constants are declared in
   curl.c, so that building does not need its headers. */

enum {
    CCURL_LOADED = 0,
    CCURL_NOT_INSTALLED,
    /* A function is missing: the library is older than 7.62. */
    CCURL_TOO_OLD,
    CCURL_NOT_STARTED
};

/* Loads the library once; returns one of the above. Every other function requires CCURL_LOADED. */
int CCurl_load(void);

/* The parts of a URL as libcurl parses it, so that it is checked as it is used. */
typedef struct {
    /* Lower case; "" if the part is missing. */
    char scheme[16];
    char host[256];
    long port;
    int has_login;
} CCurl_address;

/* Returns 0 if the text is not a URL of the form scheme://host. */
int CCurl_read_address(const char *text, CCurl_address *address);

/* A client that sends requests sequentially and keeps connections open between them. All
   settings are copied, and wiped when the client is freed. */
typedef struct CCurl_client CCurl_client;

/* Returns NULL if memory is exhausted. */
CCurl_client *CCurl_client_create(void);
void CCurl_client_destroy(CCurl_client *client);

/* Begins a request with HTTP/1.1 and TLS 1.2 or newer. Certificates and host names are verified,
   redirects are not followed, and proxies are those of the environment. An option that cannot be
   set makes CCurl_perform fail. */
void CCurl_begin(CCurl_client *client, const char *url);
/* Uses no proxy, regardless of the environment. */
void CCurl_set_direct(CCurl_client *client);
/* Connects only to addresses for which `is_public` does not return 0: IPv4 (4 bytes) and IPv6
   addresses (16 bytes). The proxy in the environment for "http" or "https" may have any address
   and receives every request; NULL uses no proxy. */
void CCurl_set_public(CCurl_client *client, const char *proxied_scheme,
                      int (*is_public)(const uint8_t *address, size_t count));
/* Adds a header line "Name: value". */
void CCurl_add_header(CCurl_client *client, const char *header);
/* Sets the body, which makes the request a POST. */
void CCurl_set_body(CCurl_client *client, const uint8_t *bytes, size_t count);
/* Uses HTTP Basic authentication. */
void CCurl_set_login(CCurl_client *client, const char *user, const char *password);
/* Uses an access token (HTTP Bearer). */
void CCurl_set_token(CCurl_client *client, const char *token);
/* Asks `is_stopped` about every second, also in the stages without data; if it is not 0, the request
   fails with the code 42. */
void CCurl_set_stop(CCurl_client *client,
                    int (*is_stopped)(void *, int64_t, int64_t, int64_t, int64_t));
/* Opens a new connection for this request, so that it is sent only once. */
void CCurl_set_fresh(CCurl_client *client);
/* Replaces the system trust store by trust anchors in PEM. */
void CCurl_set_anchors(CCurl_client *client, const uint8_t *pem, size_t count);
/* Replaces the system trust store by a bundle and a hashed folder; either may be NULL. */
void CCurl_set_anchor_paths(CCurl_client *client, const char *file, const char *folder);
/* Sets the TLS client certificate with its chain, and its key: PEM, not encrypted. */
void CCurl_set_identity(CCurl_client *client, const uint8_t *certificates,
                        size_t certificate_count, const uint8_t *key, size_t key_count);

/* Capacity for the value of a caching header, including its final 0. */
enum { CCURL_FIELD_CAPACITY = 512 };

/* The stage of a request at its end. */
enum {
    CCURL_RESOLVING = 0,
    CCURL_CONNECTING,
    CCURL_TLS_HANDSHAKE,
    CCURL_WAITING,
    CCURL_RECEIVING
};

/* The pointers are valid until the next request begins. */
typedef struct __attribute__((swift_attr("@safe"))) {
    /* A CURLcode, 0 for success. */
    int code;
    int stage;
    /* HTTP status; 0 without a response. */
    long status;
    /* Status of a proxy's response to CONNECT; 0 without one. */
    long proxy_status;
    /* Whether the body or header of the response exceeded its limit. */
    int is_body_too_large, is_header_too_large;
    /* Number of connections opened; 0 if one was reused. */
    long connection_count;
    /* Whether the reused connection was closed and libcurl sent the request again. */
    int was_sent_again;
    const uint8_t *body;
    size_t body_count;
    /* "" if missing. */
    const char *content_type;
    const char *redirect_url;
    /* Headers of the last response; "" if missing or too long. */
    const char *entity_tag, *last_modified, *cache_control;
    /* The last address that CCurl_set_public rejected; "" without one. */
    const char *refused_address;
    /* libcurl's error message. */
    const char *message;
    /* libcurl's text about a TLS alert of the server, except close_notify; "" without one. */
    const char *alert;
    /* 0 if the server does not send it. */
    long retry_after_seconds;
    /* Whether the server asked for a client certificate. */
    int asked_for_certificate;
} CCurl_response;

/* Sends the request. Time limits are in milliseconds; `limit` applies to the whole request, even
   if bytes arrive slowly. */
void CCurl_perform(CCurl_client *client, long connect_limit, long limit, size_t body_limit,
                   CCurl_response *response);

#endif
