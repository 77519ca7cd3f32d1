import type { Learners } from './learners.js'

/** The learners, in a thread of their own (`threads/learning-thread.ts`) or here. */
export type RemoteLearners = {
  readonly [Method in keyof Learners]: (
    ...args: Parameters<Learners[Method]>
  ) => Promise<ReturnType<Learners[Method]>>
}

const METHODS: readonly (keyof Learners)[] = [
  ...(['begin', 'restore', 'reopen', 'fill', 'call', 'bring'] as const),
  ...(['openCheckpoint', 'readCheckpoint', 'end'] as const),
]

/** @param run runs a method of learners */
export function remoteLearners(
  run: (method: keyof Learners, args: readonly unknown[]) => Promise<unknown>,
): RemoteLearners {
  const methods = METHODS.map((method) => [method, (...args: readonly unknown[]) => run(method, args)])
  return Object.fromEntries(methods) as RemoteLearners
}

/** Learners that work in the calling thread, as tests have them. */
export function localLearners(learners: Learners): RemoteLearners {
  return remoteLearners(async (method, args) => {
    const learn = learners[method] as (...given: readonly unknown[]) => unknown
    return learn.apply(learners, [...args])
  })
}
