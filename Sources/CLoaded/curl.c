#define _GNU_SOURCE
#include "CCurl.h"
#include "loader.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

/* The part of libcurl's stable interface that is used (curl.h, urlapi.h). */
typedef struct CURL CURL;
typedef struct CURLU CURLU;

struct curl_slist {
    char *data;
    struct curl_slist *next;
};

struct curl_blob {
    void *data;
    size_t len;
    unsigned flags;
};

struct curl_sockaddr {
    int family, socktype, protocol;
    unsigned addrlen;
    struct sockaddr addr;
};

enum {
    GLOBAL_DEFAULT = 3,
    BLOB_COPY = 1,
    AUTH_BASIC = 1,
    AUTH_BEARER = 1 << 6,
    HTTP_VERSION_1_1 = 2,
    SSLVERSION_TLSv1_2 = 6,
    PROTO_HTTP_AND_HTTPS = 3,

    OPT_VERIFYPEER = 64,
    OPT_SSLVERSION = 32,
    OPT_VERBOSE = 41,
    OPT_NOPROGRESS = 43,
    OPT_POSTFIELDSIZE = 60,
    OPT_FRESH_CONNECT = 74,
    OPT_VERIFYHOST = 81,
    OPT_HTTP_VERSION = 84,
    OPT_NOSIGNAL = 99,
    OPT_HTTPAUTH = 107,
    OPT_TIMEOUT_MS = 155,
    OPT_CONNECTTIMEOUT_MS = 156,
    OPT_PROTOCOLS = 181,
    OPT_QUICK_EXIT = 322,
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_PROXY = 10004,
    OPT_ERRORBUFFER = 10010,
    OPT_HTTPHEADER = 10023,
    OPT_HEADERDATA = 10029,
    OPT_XFERINFODATA = 10057,
    OPT_CAINFO = 10065,
    OPT_CAPATH = 10097,
    OPT_DEBUGDATA = 10095,
    OPT_OPENSOCKETDATA = 10164,
    OPT_COPYPOSTFIELDS = 10165,
    OPT_USERNAME = 10173,
    OPT_PASSWORD = 10174,
    OPT_NOPROXY = 10177,
    OPT_XOAUTH2_BEARER = 10220,
    OPT_PREREQDATA = 10313,
    OPT_PROTOCOLS_STR = 10318,
    OPT_WRITEFUNCTION = 20011,
    OPT_HEADERFUNCTION = 20079,
    OPT_DEBUGFUNCTION = 20094,
    OPT_OPENSOCKETFUNCTION = 20163,
    OPT_XFERINFOFUNCTION = 20219,
    OPT_PREREQFUNCTION = 20312,
    OPT_SSLCERT_BLOB = 40291,
    OPT_SSLKEY_BLOB = 40292,
    OPT_CAINFO_BLOB = 40309,

    INFO_CONTENT_TYPE = 0x100000 + 18,
    INFO_REDIRECT_URL = 0x100000 + 31,
    INFO_RESPONSE_CODE = 0x200000 + 2,
    INFO_HTTP_CONNECTCODE = 0x200000 + 22,
    INFO_NUM_CONNECTS = 0x200000 + 26,
    INFO_NAMELOOKUP_TIME = 0x600000 + 51,
    INFO_PRETRANSFER_TIME = 0x600000 + 53,
    INFO_RETRY_AFTER = 0x600000 + 57,

    URLPART_SCHEME = 1,
    URLPART_USER = 2,
    URLPART_PASSWORD = 3,
    URLPART_HOST = 5,
    URLPART_PORT = 6,
    URLPART_URL = 0,
    URL_DEFAULT_PORT = 1,
    URL_NON_SUPPORT_SCHEME = 8,

    OUT_OF_MEMORY = 27,

    /* OPENSSL_INIT_NO_LOAD_CONFIG */
    CRYPTO_NO_LOAD_CONFIG = 0x80
};

typedef void *(*allocate_t)(size_t);
typedef void (*free_t)(void *);
typedef void *(*reallocate_t)(void *, size_t);
typedef char *(*duplicate_t)(const char *);
typedef void *(*allocate_zeroed_t)(size_t, size_t);

#define FUNCTIONS(F)                                                                              \
    F(int, global_init_mem,                                                                       \
      (long, allocate_t, free_t, reallocate_t, duplicate_t, allocate_zeroed_t))                   \
    F(CURL *, easy_init, (void))                                                                  \
    F(void, easy_reset, (CURL *))                                                                 \
    F(void, easy_cleanup, (CURL *))                                                               \
    F(int, easy_setopt, (CURL *, int, ...))                                                       \
    F(int, easy_getinfo, (CURL *, int, ...))                                                      \
    F(int, easy_perform, (CURL *))                                                                \
    F(const char *, easy_strerror, (int))                                                         \
    F(struct curl_slist *, slist_append, (struct curl_slist *, const char *))                     \
    F(void, slist_free_all, (struct curl_slist *))                                                \
    F(CURLU *, url, (void))                                                                       \
    F(void, url_cleanup, (CURLU *))                                                               \
    F(int, url_set, (CURLU *, int, const char *, unsigned))                                       \
    F(int, url_get, (CURLU *, int, char **, unsigned))                                            \
    F(void, free, (void *))

/* Written once, under pthread_once. */
static struct {
    FUNCTIONS(LOADER_FIELD)
} curl;

/* libcurl copies passwords, keys and requests, so all of its memory is wiped before it is freed. */
static void wiping_free(void *memory) {
    if (memory) explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void *wiping_realloc(void *memory, size_t count) {
    if (!memory) return malloc(count);
    size_t old = malloc_usable_size(memory);
    if (count <= old) return memory;
    void *larger = malloc(count);
    if (!larger) return NULL;
    memcpy(larger, memory, old);
    wiping_free(memory);
    return larger;
}

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
#define SYMBOL(result, name, parameters) {"curl_" #name, &curl.name},
    static const struct loader_symbol symbols[] = {FUNCTIONS(SYMBOL)};
    static int (*prepare_crypto)(uint64_t, const void *);
    static const struct loader_symbol crypto[] = {{"OPENSSL_init_crypto", &prepare_crypto}};
    const char *library = "libcurl.so.4";
    int found = LOADER_LOAD(library, symbols);
    if (found == LOADER_NOT_INSTALLED) {
        library = "libcurl-gnutls.so.4";
        found = LOADER_LOAD(library, symbols);
    }
    load_result = found == LOADER_NOT_INSTALLED ? CCURL_NOT_INSTALLED : CCURL_TOO_OLD;
    if (found != LOADER_LOADED) return;
    /* The libcrypto of this libcurl, if it uses one. It is initialized here first, so that it
       reads no configuration file, which could load any module. */
    LOADER_LOAD(library, crypto);
    if (prepare_crypto) prepare_crypto(CRYPTO_NO_LOAD_CONFIG, NULL);
    load_result = curl.global_init_mem(GLOBAL_DEFAULT, malloc, wiping_free, wiping_realloc, strdup,
                                       calloc)
                      ? CCURL_NOT_STARTED
                      : CCURL_LOADED;
}

int CCurl_load(void) {
    pthread_once(&loaded, load);
    return load_result;
}

/* Copies a part of a URL; returns 0 if it is longer than capacity. */
static int read_part(CURLU *url, int part, unsigned flags, char *into, size_t capacity) {
    char *text = NULL;
    into[0] = 0;
    if (curl.url_get(url, part, &text, flags) || !text) return 1;
    size_t count = strlen(text);
    if (count < capacity) memcpy(into, text, count + 1);
    curl.free(text);
    return count < capacity;
}

int CCurl_read_address(const char *text, CCurl_address *address) {
    memset(address, 0, sizeof *address);
    CURLU *url = curl.url();
    if (!url) return 0;
    char port[8], login[2];
    int is_good = !curl.url_set(url, URLPART_URL, text, URL_NON_SUPPORT_SCHEME) &&
                  read_part(url, URLPART_SCHEME, 0, address->scheme, sizeof address->scheme) &&
                  read_part(url, URLPART_HOST, 0, address->host, sizeof address->host) &&
                  read_part(url, URLPART_PORT, URL_DEFAULT_PORT, port, sizeof port);
    if (is_good) {
        address->port = strtol(port, NULL, 10);
        address->has_login = !read_part(url, URLPART_USER, 0, login, sizeof login) || login[0];
        address->has_login |= !read_part(url, URLPART_PASSWORD, 0, login, sizeof login) || login[0];
    }
    curl.url_cleanup(url);
    return is_good;
}

/* Maximum length of a response header, all lines together. */
#define HEADER_LIMIT ((size_t)64 << 10)

struct CCurl_client {
    CURL *easy;
    struct curl_slist *headers;
    /* The error of the first option that could not be set. */
    int failure;
    uint8_t *body;
    size_t body_count, body_capacity, body_limit, header_count;
    int is_body_too_large, is_header_too_large;
    int sent_count;
    int has_begun_handshake, asked_for_certificate;
    char alert[128];
    int (*is_public)(const uint8_t *, size_t);
    char refused_address[INET6_ADDRSTRLEN];
    char entity_tag[CCURL_FIELD_CAPACITY], last_modified[CCURL_FIELD_CAPACITY];
    char cache_control[CCURL_FIELD_CAPACITY];
    /* CURL_ERROR_SIZE */
    char message[256];
};

CCurl_client *CCurl_client_create(void) {
    CCurl_client *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->easy = curl.easy_init();
    if (!client->easy) {
        free(client);
        return NULL;
    }
    return client;
}

void CCurl_client_destroy(CCurl_client *client) {
    if (!client) return;
    curl.easy_cleanup(client->easy);
    curl.slist_free_all(client->headers);
    free(client->body);
    free(client);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    CCurl_client *client = context;
    count *= size;
    if (count > client->body_limit - client->body_count) {
        client->is_body_too_large = 1;
        return 0;
    }
    if (count > client->body_capacity - client->body_count) {
        size_t capacity = client->body_capacity ? client->body_capacity : 8192;
        while (capacity - client->body_count < count) capacity *= 2;
        uint8_t *larger = realloc(client->body, capacity);
        if (!larger) return 0;
        client->body = larger;
        client->body_capacity = capacity;
    }
    memcpy(client->body + client->body_count, bytes, count);
    client->body_count += count;
    return count;
}

/* Copies the value of a header line with this name; ignores a longer value. */
static void read_field(const char *line, size_t count, const char *name, char *into) {
    size_t start = strlen(name);
    if (count <= start || strncasecmp(line, name, start) || line[start] != ':') return;
    for (start++; start < count && (line[start] == ' ' || line[start] == '\t'); start++) {}
    while (count > start && (unsigned char)line[count - 1] <= ' ') count--;
    if (count - start >= CCURL_FIELD_CAPACITY) return;
    memcpy(into, line + start, count - start);
    into[count - start] = 0;
}

static void forget_fields(CCurl_client *client) {
    client->entity_tag[0] = client->last_modified[0] = client->cache_control[0] = 0;
}

static size_t receive_header(char *bytes, size_t size, size_t count, void *context) {
    CCurl_client *client = context;
    count *= size;
    /* A status line: earlier fields belong to another response. */
    if (count > 5 && !memcmp(bytes, "HTTP/", 5)) forget_fields(client);
    read_field(bytes, count, "ETag", client->entity_tag);
    read_field(bytes, count, "Last-Modified", client->last_modified);
    read_field(bytes, count, "Cache-Control", client->cache_control);
    if (count > HEADER_LIMIT - client->header_count) {
        client->is_header_too_large = 1;
        return 0;
    }
    client->header_count += count;
    return count;
}

static int will_send(void *context, char *to, char *from, int to_port, int from_port) {
    (void)to, (void)from, (void)to_port, (void)from_port;
    ((CCurl_client *)context)->sent_count++;
    return 0;
}

/* libcurl's debug output. It is the only source for requests of client certificates and for TLS
   alerts. The error message omits an alert that leads to another failure. */
static int listen_in(CURL *easy, int kind, char *bytes, size_t count, void *context) {
    (void)easy;
    CCurl_client *client = context;
    enum { TEXT = 0 };
    if (kind != TEXT) return 0;
    char text[sizeof client->alert];
    if (count >= sizeof text) count = sizeof text - 1;
    memcpy(text, bytes, count);
    text[count] = 0;
    text[strcspn(text, "\r\n")] = 0;
    if (strstr(text, "TLS handshake")) client->has_begun_handshake = 1;
    if (strstr(text, "Request CERT")) client->asked_for_certificate = 1;
    if (strstr(text, "alert") && !strstr(text, "(OUT)") && !strstr(text, "close notify")) {
        memcpy(client->alert, text, sizeof text);
    }
    return 0;
}

#define SET(client, option, value)                                                                \
    do {                                                                                          \
        int failure = curl.easy_setopt((client)->easy, option, value);                            \
        if (!(client)->failure) (client)->failure = failure;                                      \
    } while (0)

void CCurl_begin(CCurl_client *client, const char *url) {
    curl.easy_reset(client->easy);
    curl.slist_free_all(client->headers);
    client->headers = NULL;
    client->failure = 0;
    client->body_count = client->header_count = 0;
    client->is_body_too_large = client->is_header_too_large = 0;
    client->sent_count = client->has_begun_handshake = 0;
    client->asked_for_certificate = 0;
    client->message[0] = client->alert[0] = client->refused_address[0] = 0;
    forget_fields(client);

    SET(client, OPT_ERRORBUFFER, client->message);
    SET(client, OPT_NOSIGNAL, 1L);
    SET(client, OPT_HTTP_VERSION, (long)HTTP_VERSION_1_1);
    SET(client, OPT_SSLVERSION, (long)SSLVERSION_TLSv1_2);
    SET(client, OPT_VERIFYPEER, 1L);
    SET(client, OPT_VERIFYHOST, 2L);
    /* The option with names exists since 7.85, which deprecates the one with numbers. */
    if (curl.easy_setopt(client->easy, OPT_PROTOCOLS_STR, "http,https")) {
        SET(client, OPT_PROTOCOLS, (long)PROTO_HTTP_AND_HTTPS);
    }
    SET(client, OPT_WRITEFUNCTION, receive);
    SET(client, OPT_WRITEDATA, client);
    SET(client, OPT_HEADERFUNCTION, receive_header);
    SET(client, OPT_HEADERDATA, client);
    SET(client, OPT_DEBUGFUNCTION, listen_in);
    SET(client, OPT_DEBUGDATA, client);
    SET(client, OPT_VERBOSE, 1L);
    /* Missing in older libraries. The first reports repeated requests; the last applies a time
       limit to name resolution too. */
    curl.easy_setopt(client->easy, OPT_PREREQFUNCTION, will_send);
    curl.easy_setopt(client->easy, OPT_PREREQDATA, client);
    curl.easy_setopt(client->easy, OPT_QUICK_EXIT, 1L);
    SET(client, OPT_URL, url);
}

void CCurl_set_direct(CCurl_client *client) { SET(client, OPT_NOPROXY, "*"); }

/* Called for each address of a name, directly before the connection to it. */
static int open_public(void *context, int purpose, struct curl_sockaddr *to) {
    (void)purpose;
    const void *address = to->family == AF_INET
                              ? (void *)&((struct sockaddr_in *)&to->addr)->sin_addr
                              : (void *)&((struct sockaddr_in6 *)&to->addr)->sin6_addr;
    CCurl_client *client = context;
    if (!client->is_public(address, to->family == AF_INET ? 4 : 16)) {
        inet_ntop(to->family, address, client->refused_address, sizeof client->refused_address);
        return -1;
    }
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* The proxy that libcurl selects. */
static const char *proxy_for(const char *scheme) {
    int is_encrypted = !strcmp(scheme, "https");
    const char *proxy = getenv(is_encrypted ? "https_proxy" : "http_proxy");
    if (!proxy && is_encrypted) proxy = getenv("HTTPS_PROXY");
    if (!proxy) proxy = getenv("all_proxy");
    return proxy ? proxy : getenv("ALL_PROXY");
}

void CCurl_set_public(CCurl_client *client, const char *proxied_scheme,
                      int (*is_public)(const uint8_t *address, size_t count)) {
    const char *proxy = proxied_scheme ? proxy_for(proxied_scheme) : NULL;
    if (proxy && *proxy) {
        SET(client, OPT_PROXY, proxy);
        SET(client, OPT_NOPROXY, "");
        return;
    }
    CCurl_set_direct(client);
    client->is_public = is_public;
    SET(client, OPT_OPENSOCKETFUNCTION, open_public);
    SET(client, OPT_OPENSOCKETDATA, client);
}

void CCurl_add_header(CCurl_client *client, const char *header) {
    struct curl_slist *longer = curl.slist_append(client->headers, header);
    if (longer) {
        client->headers = longer;
    } else if (!client->failure) {
        client->failure = OUT_OF_MEMORY;
    }
}

void CCurl_set_body(CCurl_client *client, const uint8_t *bytes, size_t count) {
    SET(client, OPT_POSTFIELDSIZE, (long)count);
    SET(client, OPT_COPYPOSTFIELDS, (const char *)bytes);
}

void CCurl_set_login(CCurl_client *client, const char *user, const char *password) {
    SET(client, OPT_HTTPAUTH, (long)AUTH_BASIC);
    SET(client, OPT_USERNAME, user);
    SET(client, OPT_PASSWORD, password);
}

void CCurl_set_token(CCurl_client *client, const char *token) {
    SET(client, OPT_HTTPAUTH, (long)AUTH_BEARER);
    SET(client, OPT_XOAUTH2_BEARER, token);
}

void CCurl_set_stop(CCurl_client *client,
                    int (*is_stopped)(void *, int64_t, int64_t, int64_t, int64_t)) {
    SET(client, OPT_NOPROGRESS, 0L);
    SET(client, OPT_XFERINFODATA, NULL);
    SET(client, OPT_XFERINFOFUNCTION, is_stopped);
}

void CCurl_set_fresh(CCurl_client *client) {
    SET(client, OPT_FRESH_CONNECT, 1L);
}

static void set_blob(CCurl_client *client, int option, const uint8_t *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, BLOB_COPY};
    SET(client, option, &blob);
}

void CCurl_set_anchors(CCurl_client *client, const uint8_t *pem, size_t count) {
    CCurl_set_anchor_paths(client, NULL, NULL);
    set_blob(client, OPT_CAINFO_BLOB, pem, count);
}

void CCurl_set_anchor_paths(CCurl_client *client, const char *file, const char *folder) {
    SET(client, OPT_CAINFO, file);
    SET(client, OPT_CAPATH, folder);
}

void CCurl_set_identity(CCurl_client *client, const uint8_t *certificates,
                        size_t certificate_count, const uint8_t *key, size_t key_count) {
    set_blob(client, OPT_SSLCERT_BLOB, certificates, certificate_count);
    set_blob(client, OPT_SSLKEY_BLOB, key, key_count);
}

/* If a server closes the connection while TLS writes, SIGPIPE would end the process. The signal
   is blocked and removed, unless it was pending before. */
static int perform(CURL *easy) {
    sigset_t pipe, pending, old;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
    int code = curl.easy_perform(easy);
    if (!sigismember(&pending, SIGPIPE)) {
        static const struct timespec now = {0, 0};
        sigtimedwait(&pipe, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}

static int64_t time_of(CCurl_client *client, int info) {
    int64_t microseconds = 0;
    curl.easy_getinfo(client->easy, info, &microseconds);
    return microseconds;
}

static int stage_of(CCurl_client *client) {
    /* A reused connection skips the first stages; the stage then follows from the sent requests. */
    if (client->header_count) return CCURL_RECEIVING;
    if (client->sent_count || time_of(client, INFO_PRETRANSFER_TIME)) return CCURL_WAITING;
    if (client->has_begun_handshake) return CCURL_TLS_HANDSHAKE;
    return time_of(client, INFO_NAMELOOKUP_TIME) ? CCURL_CONNECTING : CCURL_RESOLVING;
}

static const char *text_of(CCurl_client *client, int info) {
    char *text = NULL;
    curl.easy_getinfo(client->easy, info, &text);
    return text ? text : "";
}

void CCurl_perform(CCurl_client *client, long connect_limit, long limit, size_t body_limit,
                   CCurl_response *response) {
    memset(response, 0, sizeof *response);
    client->body_limit = body_limit;
    /* Does not wait for permission to send the body. */
    CCurl_add_header(client, "Expect:");
    SET(client, OPT_HTTPHEADER, client->headers);
    SET(client, OPT_CONNECTTIMEOUT_MS, connect_limit);
    SET(client, OPT_TIMEOUT_MS, limit);
    response->code = client->failure ? client->failure : perform(client->easy);
    response->stage = stage_of(client);
    curl.easy_getinfo(client->easy, INFO_RESPONSE_CODE, &response->status);
    curl.easy_getinfo(client->easy, INFO_HTTP_CONNECTCODE, &response->proxy_status);
    curl.easy_getinfo(client->easy, INFO_NUM_CONNECTS, &response->connection_count);
    response->is_body_too_large = client->is_body_too_large;
    response->is_header_too_large = client->is_header_too_large;
    response->was_sent_again = client->sent_count > 1;
    response->body = client->body;
    response->body_count = client->body_count;
    response->content_type = text_of(client, INFO_CONTENT_TYPE);
    /* Available since 7.66. */
    response->retry_after_seconds = (long)time_of(client, INFO_RETRY_AFTER);
    response->redirect_url = text_of(client, INFO_REDIRECT_URL);
    response->alert = client->alert;
    response->refused_address = client->refused_address;
    response->entity_tag = client->entity_tag;
    response->last_modified = client->last_modified;
    response->cache_control = client->cache_control;
    response->asked_for_certificate = client->asked_for_certificate;
    response->message = client->message[0] ? client->message : curl.easy_strerror(response->code);
}
