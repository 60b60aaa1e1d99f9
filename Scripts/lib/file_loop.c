/* usage: file_loop KEY LIST FOLDER THREADS

   What signing many files costs whoever does it: each file that LIST names is read, hashed, its hash
   signed with the RSA key and the signature verified, and the file written into FOLDER with 4 KB
   more, whole or not at all, and on the disk: as Signet does it. Nothing is known of PDF. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static EVP_PKEY *key;
static const char *folder;
static char **names;
static int count, next;

static void require(int good, const char *what) {
    if (!good) {
        perror(what);
        exit(1);
    }
}

static void sign(const char *name) {
    int input = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    require(input >= 0 && fstat(input, &status) == 0, name);
    size_t size = (size_t)status.st_size;
    unsigned char *bytes = calloc(1, size + 4096), hash[32], signature[1024];
    require(bytes && pread(input, bytes, size, 0) == (ssize_t)size, name);
    close(input);

    require(EVP_Digest(bytes, size, hash, NULL, EVP_sha256(), NULL), "EVP_Digest");
    size_t length = sizeof signature;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    require(context && EVP_PKEY_sign_init(context) > 0
        && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0
        && EVP_PKEY_sign(context, signature, &length, hash, sizeof hash) > 0, "EVP_PKEY_sign");
    require(EVP_PKEY_verify_init(context) > 0
        && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0
        && EVP_PKEY_verify(context, signature, length, hash, sizeof hash) > 0, "EVP_PKEY_verify");
    EVP_PKEY_CTX_free(context);
    memcpy(bytes + size, signature, length);

    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, strrchr(name, '/') + 1);
    int output = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0644);
    require(output >= 0 && write(output, bytes, size + 4096) == (ssize_t)size + 4096, path);
    require(fsync(output) == 0, path);
    unlink(path);
    require(linkat(output, "", AT_FDCWD, path, AT_EMPTY_PATH) == 0, path);
    int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(parent >= 0 && fsync(parent) == 0, folder);
    close(parent);
    close(output);
    free(bytes);
}

static void *work(void *unused) {
    (void)unused;
    for (int mine; (mine = __sync_fetch_and_add(&next, 1)) < count;) sign(names[mine]);
    return NULL;
}

int main(int argc, char **words) {
    if (argc != 5) return 64;
    FILE *file = fopen(words[1], "r");
    require(file && (key = PEM_read_PrivateKey(file, NULL, NULL, NULL)), words[1]);
    fclose(file);
    require((file = fopen(words[2], "r")) != NULL, words[2]);
    char line[4096];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        require((names = realloc(names, sizeof *names * (size_t)(count + 1))) != NULL, "realloc");
        require((names[count++] = strdup(line)) && strchr(line, '/'), line);
    }
    fclose(file);
    folder = words[3];
    int threads = atoi(words[4]);
    pthread_t thread[64];
    for (int each = 0; each < threads && each < 64; each++) {
        require(!pthread_create(&thread[each], NULL, work, NULL), "pthread_create");
    }
    for (int each = 0; each < threads && each < 64; each++) pthread_join(thread[each], NULL);
    return 0;
}
