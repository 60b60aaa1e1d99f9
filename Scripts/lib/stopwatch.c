/* usage: stopwatch COMMAND [ARG...]
 *
 * Runs the command with its output discarded and prints wall-clock nanoseconds, peak resident
 * kilobytes, the exit code and nanoseconds of processor time. Small on purpose: a child's peak starts at its parent's size, so
 * measuring from Python would show no peak below Python's own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 64;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    struct timespec start, end;
    struct rusage usage;
    pid_t child;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (posix_spawnp(&child, argv[1], &actions, NULL, argv + 1, environ) != 0)
        return 69;
    if (wait4(child, &status, 0, &usage) != child)
        return 70;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld %ld %d %lld\n",
           (end.tv_sec - start.tv_sec) * 1000000000LL + (end.tv_nsec - start.tv_nsec),
           usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
               (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL);
    return 0;
}
