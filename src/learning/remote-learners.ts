import type { Learners } from './learners.js'

/** The learners, in a thread of their own (`threads/learning-thread.ts`) or here. */
export type RemoteLearners = {
  readonly [Method in keyof Learners]: (
    ...args: Parameters<Learners[Method]>
  ) => Promise<ReturnType<Learners[Method]>>
}

/** Learners that work in the calling thread, as tests have them. */
export function localLearners(learners: Learners): RemoteLearners {
  return {
    begin: async (...args) => learners.begin(...args),
    restore: async (...args) => learners.restore(...args),
    reopen: async (...args) => learners.reopen(...args),
    fill: async (...args) => learners.fill(...args),
    letGo: async (...args) => learners.letGo(...args),
    close: async (...args) => learners.close(...args),
    call: async (...args) => learners.call(...args),
    bring: async (...args) => learners.bring(...args),
    checkpointBytes: async (...args) => learners.checkpointBytes(...args),
    openCheckpoint: async (...args) => learners.openCheckpoint(...args),
    writeSome: async (...args) => learners.writeSome(...args),
    foldSome: async (...args) => learners.foldSome(...args),
    end: async (...args) => learners.end(...args),
  }
}
