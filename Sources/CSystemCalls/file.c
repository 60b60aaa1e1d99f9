#define _GNU_SOURCE
#include "include/CFile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

static int argument_count;
static char **arguments;

void CFile_keep_arguments(int count, char **values)
{
    argument_count = count;
    arguments = values;
}

int CFile_argument_count(void) { return argument_count; }

const char *CFile_argument(int index)
{
    return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

void CFile_fill_standard_streams(void)
{
    /* A descriptor opened with O_PATH can neither be read nor written: EBADF, as for a closed
       one. open returns the lowest free number. */
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0) continue;
        int taken = open("/dev/null", O_PATH);
        if (taken < 0) taken = open("/", O_PATH);
        if (taken != number) _exit(EX_IOERR);
    }
}

int CFile_open_unnamed(const char *folder, mode_t mode)
{
    int descriptor;
    do {
        descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

int CFile_open_memory(void) { return memfd_create("signet", MFD_CLOEXEC); }

int CFile_link(int descriptor, const char *name)
{
    /* AT_EMPTY_PATH requires a privilege, and the fallback requires /proc. */
    if (linkat(descriptor, "", AT_FDCWD, name, AT_EMPTY_PATH) == 0) return 0;
    if (errno == EEXIST) return -1;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

int CFile_rename_to_new(const char *name, const char *target)
{
    return renameat2(AT_FDCWD, name, AT_FDCWD, target, RENAME_NOREPLACE);
}

int CFile_exchange(const char *name, const char *other)
{
    return renameat2(AT_FDCWD, name, AT_FDCWD, other, RENAME_EXCHANGE);
}

enum { MEMORY_PROBE = 16 << 20 };

static const char *message;
static int message_status;

static void pass_over(int number) { (void)number; }

/* The runtime aborts if memory is exhausted. If a probe cannot be allocated either, that was the
   reason. */
static void handle_abort(int number)
{
    void *probe = mmap(
        NULL, MEMORY_PROBE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) {
        if (write(STDERR_FILENO, message, strlen(message)) < 0) _exit(message_status);
        _exit(message_status);
    }
    signal(number, SIG_DFL);
}

void CFile_prepare_signals(const char *short_of_memory, int status)
{
    message = short_of_memory;
    message_status = status;
    /* Handled instead of ignored, because started programs would inherit an ignored signal. */
    struct sigaction action = {.sa_handler = pass_over, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    action.sa_handler = handle_abort;
    sigaction(SIGABRT, &action, NULL);
}

const char *CFile_environment(const char *name) { return secure_getenv(name); }

int CFile_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

/* Creates three pipes: to the child's standard input, from its output and from its errors. */
static int make_pipes(int to[2], int from[2], int errors[2])
{
    int *all[3] = {to, from, errors};
    for (int i = 0; i < 3; i++)
        if (pipe2(all[i], O_CLOEXEC) != 0) {
            int failure = errno;
            while (i-- > 0) {
                close(all[i][0]);
                close(all[i][1]);
            }
            return failure;
        }
    return 0;
}

/* Starts a program in its own process group with these standard streams and no other open files. */
static int spawn(const char *path, char *const arguments[], char *const environment[],
                 const int streams[3], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; i++) posix_spawn_file_actions_adddup2(&actions, streams[i], i);
    /* Closes all other descriptors, because libraries do not mark all of theirs close-on-exec. */
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
                                              | POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawn(child, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int CFile_launch(const char *path, char *const arguments[], char *const environment[],
                 pid_t *child)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return errno;
    int failure = spawn(path, arguments, environment, (int[]){nothing, nothing, nothing}, child);
    close(nothing);
    return failure;
}

int CFile_spawn(const char *path, char *const arguments[], char *const environment[], int input,
                int pipes[3], pid_t *child)
{
    int to[2], from[2], errors[2];
    int failure = make_pipes(to, from, errors);
    if (failure) return failure;
    int streams[3] = {input < 0 ? to[0] : input, from[1], errors[1]};
    failure = spawn(path, arguments, environment, streams, child);
    close(to[0]);
    close(from[1]);
    close(errors[1]);
    if (failure) {
        close(to[1]);
        close(from[0]);
        close(errors[0]);
        return failure;
    }
    pipes[0] = to[1];
    pipes[1] = from[0];
    pipes[2] = errors[0];
    for (int i = 0; i < 3; i++) fcntl(pipes[i], F_SETFL, fcntl(pipes[i], F_GETFL) | O_NONBLOCK);
    return 0;
}

int CFile_limit(pid_t child, size_t memory, unsigned seconds)
{
    struct rlimit space = {.rlim_cur = memory, .rlim_max = memory};
    struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds};
    struct rlimit core = {0};
    if (prlimit(child, RLIMIT_AS, &space, NULL) != 0) return -1;
    if (prlimit(child, RLIMIT_CORE, &core, NULL) != 0) return -1;
    return prlimit(child, RLIMIT_CPU, &time, NULL);
}

int CFile_sync_system(int descriptor) { return syncfs(descriptor); }
