#ifndef CFILE_H
#define CFILE_H

#include <stddef.h>
#include <sys/types.h>
/* Included here to be visible to Swift. */
#include <sys/xattr.h>

/* System calls that are not visible to Swift. Functions that return an int return -1 on failure,
   with errno set. */

/* An environment variable; NULL also if the process has more rights than its caller. */
const char *CFile_environment(const char *name);
/* Starts a program with three pipes, in its own process group and without other open files. If
   `input` is not negative, it becomes the standard input, and the first pipe is unconnected.
   Returns 0 or the error number. */
int CFile_spawn(const char *path, char *const arguments[], char *const environment[], int input,
                int pipes[3], pid_t *child);
/* Starts a program that may outlive this one, in its own process group, without open files but
   /dev/null as its standard streams. Returns 0 or the error number. */
int CFile_launch(const char *path, char *const arguments[], char *const environment[],
                 pid_t *child);
/* Limits a child's memory in bytes and its processor time in seconds. */
int CFile_limit(pid_t child, size_t memory, unsigned seconds);
/* Creates a pipe that child processes do not inherit. */
int CFile_pipe(int ends[2]);

/* Occupies the numbers of closed standard streams, so that no other file gets such a number and
   is used as the stream. */
void CFile_fill_standard_streams(void);
/* Stores the arguments of main; the strings are not copied. */
void CFile_keep_arguments(int count, char **arguments);
int CFile_argument_count(void);
const char *CFile_argument(int index);

/* Opens a file without a name in a folder (O_TMPFILE) for reading and writing. */
int CFile_open_unnamed(const char *folder, mode_t mode);
/* Opens a file without a name in memory. */
int CFile_open_memory(void);
/* Gives an open file a name that does not exist yet. */
int CFile_link(int descriptor, const char *name);
/* Writes the file system of an open file to disk; 0, or -1 with errno. */
int CFile_sync_system(int descriptor);
/* Renames a file unless the new name exists. */
int CFile_rename_to_new(const char *name, const char *target);

/* Exchanges two names; EINVAL if the file system does not support this. */
int CFile_exchange(const char *name, const char *other);

/* Makes writes to a closed pipe or beyond the file size limit return errors instead of raising
   signals. If memory is exhausted, the message is written and the process exits with the status. */
void CFile_prepare_signals(const char *short_of_memory, int status);

#endif
