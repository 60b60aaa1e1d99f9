/* A PKCS#11 module that forwards to FAULT_MODULE, misbehaves as FAULT says, and logs calls.

   FAULT="C_Login#1=0xa4 C_Sign#*=0x32 flags=0x100 flip cut sleep=5 wait=10 noise nap quit single": the
   answer to the nth call (*: every one; also C_SignInit, C_Decrypt, C_DeriveKey), flags added to the
   token's, a flipped bit in each signature, one without its last byte, seconds and milliseconds to wait
   in each C_Sign, a line printed to standard output, a second to wait in each C_Login, a process that
   ends there, one session alone. Besides: gone, a token that is taken out with the first login; mess,
   OpenSSL errors left behind by each C_Sign; point, no EC point of an Ed25519 key is readable;
   padpin=1234, what a person enters on a reader; talk, calls about tokens and sessions are logged too;
   slow, a fifth of a second in each C_Decrypt; unsaid, a first C_Decrypt that wants a confirmation.
   Calls go to FAULT_LOG, a line each: process, function, answer. PINs are never logged. Build: cc -shared -fPIC -o fault.so fault_token.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long number;
typedef unsigned char byte;
typedef void (*function)(void);

/* The list of functions by position: a version, then pointers (PKCS#11 2.40). */
enum { COUNT = 67, INITIALIZE = 0, FINALIZE = 1, TOKEN_INFO = 6, OPEN_SESSION = 12,
       CLOSE_SESSION = 13, LOGIN = 18, LOGOUT = 19,
       GET_ATTRIBUTE = 24,
       DECRYPT_INIT = 33, DECRYPT = 34, SIGN_INIT = 42, SIGN = 43, DERIVE = 62,
       FLAGS_OFFSET = 96 };
struct list {
    byte version[8];
    function call[COUNT];
};
static struct list real, mine;

static void note(const char *what, number answer) {
    const char *path = getenv("FAULT_LOG");
    if (!path) return;
    char line[96];
    int count = snprintf(line, sizeof line, "%d %s 0x%lx\n", (int)getpid(), what, answer);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (write(file, line, (size_t)count) != count) abort();
    close(file);
}

static const char *fault(const char *name) {
    const char *all = getenv("FAULT");
    return all ? strstr(all, name) : NULL;
}

static int is_ruled(const char *name, int *calls, number *answer) {
    char key[64];
    snprintf(key, sizeof key, "%s#%d=", name, __sync_add_and_fetch(calls, 1));
    const char *found = fault(key);
    if (!found) {
        snprintf(key, sizeof key, "%s#*=", name);
        found = fault(key);
    }
    if (found) *answer = strtoul(found + strlen(key), NULL, 0);
    return found != NULL;
}

static number initialize(void *arguments) {
    number answer = ((number(*)(void *))real.call[INITIALIZE])(arguments);
    if (fault("noise")) {
        puts("the module says hello");
        fflush(stdout);
    }
    note("C_Initialize", answer);
    return answer;
}

static number finalize(void *reserved) {
    number answer = ((number(*)(void *))real.call[FINALIZE])(reserved);
    note("C_Finalize", answer);
    return answer;
}

static int login_count;

static number token_info(number slot, byte *info) {
    if (fault("gone") && login_count > 0) return 0xe0;
    number answer = ((number(*)(number, byte *))real.call[TOKEN_INFO])(slot, info);
    if (fault("talk")) note("C_GetTokenInfo", answer);
    const char *flags = fault("flags=");
    if (answer == 0 && flags) {
        number known;
        memcpy(&known, info + FLAGS_OFFSET, sizeof known);
        known |= strtoul(flags + strlen("flags="), NULL, 0);
        memcpy(info + FLAGS_OFFSET, &known, sizeof known);
    }
    return answer;
}

static number open_session(number slot, number flags, void *application, void *notify,
                           number *session) {
    static int calls;
    if (fault("single") && __sync_fetch_and_add(&calls, 1) > 0) return 0xb1;
    if (fault("talk")) note("C_OpenSession", 0);
    return ((number(*)(number, number, void *, void *, number *))real.call[OPEN_SESSION])(
        slot, flags, application, notify, session);
}

static number close_session(number session) {
    if (fault("talk")) note("C_CloseSession", 0);
    return ((number(*)(number))real.call[CLOSE_SESSION])(session);
}

static number login(number session, number user, byte *pin, number count) {
    static int calls;
    number answer;
    if (fault("quit")) exit(0);
    if (fault("nap")) sleep(1);
    const char *entered = pin ? NULL : fault("padpin=");
    byte *typed = pin;
    if (entered) {
        typed = (byte *)entered + strlen("padpin=");
        count = strcspn((char *)typed, " ");
    }
    if (!is_ruled("C_Login", &calls, &answer))
        answer = ((number(*)(number, number, byte *, number))real.call[LOGIN])(session, user, typed,
                                                                               count);
    login_count++;
    note(user == 2 ? "C_Login(context)" : pin ? "C_Login" : "C_Login(pad)", answer);
    return answer;
}

static number logout(number session) {
    number answer = ((number(*)(number))real.call[LOGOUT])(session);
    note("C_Logout", answer);
    return answer;
}

struct attribute {
    number type;
    byte *value;
    number count;
};

static number get_attribute(number session, number object, struct attribute *values, number count) {
    enum { EC_POINT = 0x181, ED25519_POINT = 34 };
    number answer = ((number(*)(number, number, struct attribute *, number))
                         real.call[GET_ATTRIBUTE])(session, object, values, count);
    for (number i = 0; answer == 0 && fault("point") && i < count; i++)
        if (values[i].type == EC_POINT && values[i].value && values[i].count == ED25519_POINT)
            memset(values[i].value, 0xff, values[i].count);
    return answer;
}

/* Leaves an error in OpenSSL's queue, which the whole process has in common. */
static void make_mess(void) {
    void (*begin)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "ERR_new");
    void (*set)(int, int, const char *, ...) =
        (void (*)(int, int, const char *, ...))dlsym(RTLD_DEFAULT, "ERR_set_error");
    if (!begin || !set) return;
    begin();
    set(4, 0x68, "the module's own mess");
}

static number sign_init(number session, number *mechanism, number key) {
    static int calls;
    number answer;
    if (!is_ruled("C_SignInit", &calls, &answer))
        answer = ((number(*)(number, number *, number))real.call[SIGN_INIT])(session, mechanism,
                                                                             key);
    char what[48];
    snprintf(what, sizeof what, "C_SignInit(0x%lx)", *mechanism);
    note(what, answer);
    return answer;
}

static number sign(number session, byte *data, number count, byte *signature, number *length) {
    static int calls;
    number answer;
    const char *seconds = fault("sleep=");
    if (seconds) {
        note("C_Sign begins", 0);
        sleep((unsigned)atoi(seconds + strlen("sleep=")));
    }
    const char *milliseconds = fault("wait=");
    if (milliseconds) usleep(1000 * (useconds_t)atoi(milliseconds + strlen("wait=")));
    if (!is_ruled("C_Sign", &calls, &answer))
        answer = ((number(*)(number, byte *, number, byte *, number *))real.call[SIGN])(
            session, data, count, signature, length);
    if (answer == 0 && signature && fault("flip")) signature[*length / 2] ^= 1;
    if (answer == 0 && signature && fault("cut")) *length -= 1;
    if (fault("mess")) make_mess();
    note("C_Sign", answer);
    return answer;
}

static number decrypt_init(number session, number *mechanism, number key) {
    number answer = ((number(*)(number, number *, number))real.call[DECRYPT_INIT])(
        session, mechanism, key);
    char what[48];
    snprintf(what, sizeof what, "C_DecryptInit(0x%lx)", *mechanism);
    note(what, answer);
    return answer;
}

static number decrypt(number session, byte *data, number count, byte *output, number *length) {
    static int calls, asked;
    number answer;
    if (fault("slow")) usleep(200000);
    if (fault("unsaid") && __sync_fetch_and_add(&asked, 1) == 0) {
        /* The operation ends. */
        ((number(*)(number, byte *, number, byte *, number *))real.call[DECRYPT])(
            session, data, count, output, length);
        note("C_Decrypt", 0x101);
        return 0x101;
    }
    if (!is_ruled("C_Decrypt", &calls, &answer))
        answer = ((number(*)(number, byte *, number, byte *, number *))real.call[DECRYPT])(
            session, data, count, output, length);
    note("C_Decrypt", answer);
    return answer;
}

static number derive(number session, number *mechanism, number key, void *values, number count,
                     number *made) {
    static int calls;
    number answer;
    if (!is_ruled("C_DeriveKey", &calls, &answer))
        answer = ((number(*)(number, number *, number, void *, number, number *))
                      real.call[DERIVE])(session, mechanism, key, values, count, made);
    note("C_DeriveKey", answer);
    return answer;
}

number C_GetFunctionList(struct list **list) {
    void *library = dlopen(getenv("FAULT_MODULE"), RTLD_NOW | RTLD_LOCAL);
    struct list *found;
    if (!library) return 5;
    ((number(*)(struct list **))dlsym(library, "C_GetFunctionList"))(&found);
    real = *found;
    mine = *found;
    mine.call[INITIALIZE] = (function)initialize;
    mine.call[FINALIZE] = (function)finalize;
    mine.call[TOKEN_INFO] = (function)token_info;
    mine.call[OPEN_SESSION] = (function)open_session;
    mine.call[CLOSE_SESSION] = (function)close_session;
    mine.call[LOGIN] = (function)login;
    mine.call[LOGOUT] = (function)logout;
    mine.call[DECRYPT_INIT] = (function)decrypt_init;
    mine.call[DECRYPT] = (function)decrypt;
    mine.call[DERIVE] = (function)derive;
    mine.call[GET_ATTRIBUTE] = (function)get_attribute;
    mine.call[SIGN_INIT] = (function)sign_init;
    mine.call[SIGN] = (function)sign;
    *list = &mine;
    return 0;
}
