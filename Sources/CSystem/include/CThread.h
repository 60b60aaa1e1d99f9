#ifndef CTHREAD_H
#define CTHREAD_H

#include <pthread.h>

/* Starts a thread on another processor than the caller's. Left alone, the system begins it on the
   same one, and moves either to an idle processor only milliseconds later, which is longer than
   most work takes. Returns 0 or an error number. */
int CThread_start(pthread_t *thread, void *(*body)(void *), void *context);

/* Something that the thread keeps: NULL until it is set. */
void *CThread_places(void);
void CThread_set_places(void *new_places);

#endif
