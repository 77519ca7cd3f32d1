/**
 * Long work is written once, as a generator of steps, and knows nothing of who runs it. It yields
 * - {@link PAUSE}, which is 0, where it may pause: often enough that the work between two pauses stays below a
 *   millisecond;
 * - a number above 0 to reserve so many bytes, before it takes the memory; one below 0 to give so many back, after
 *   it;
 * - a promise where it waits for something outside this thread: see {@link waitFor}.
 *
 * A service turns the steps into turns of its event loop, reservations and aborts; it throws an error into the
 * generator at a step to end the work, so cleanup belongs in a `finally`. A script runs them straight, with {@link
 * run} or {@link runAsync}.
 */
export type Step = number | Promise<unknown>

export type Steps<Result> = Generator<Step, Result, void>

/**
 * Work that yields bytes between its steps. A block is a view of a buffer that is used again: it is valid only until
 * the generator continues.
 */
export type Blocks<Result = void> = Generator<Step | Uint8Array, Result, void>

/** The work may pause here. */
export const PAUSE = 0

/**
 * Runs the steps one after the other, without a pause: `run(work())` → its result
 *
 * @throws TypeError where a step waits for something outside this thread: {@link runAsync} runs those too
 */
export function run<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (value instanceof Promise) throw waits()
  }
}

/** The same for work that yields blocks: these come out, and nothing else. */
export function* runBlocks(blocks: Blocks): Generator<Uint8Array, void, void> {
  for (const step of blocks) {
    if (step instanceof Uint8Array) yield step
    else if (step instanceof Promise) throw waits()
  }
}

/** Runs the steps one after the other, and waits where one waits for something outside this thread. */
export async function runAsync<Result>(steps: Steps<Result>): Promise<Result> {
  let next = steps.next()
  while (!next.done) {
    const { value } = next
    next = value instanceof Promise ? await settled(steps, value) : steps.next()
  }
  return next.value
}

/** A step that waits for a promise, and its value: `const ids = yield* waitFor(library.encode(text))`. */
export function* waitFor<Value>(promise: Promise<Value>): Steps<Value> {
  let value: Value | undefined
  yield promise.then((settledValue) => {
    value = settledValue
  })
  return value as Value
}

function settled<Result>(steps: Steps<Result>, promise: Promise<unknown>) {
  return promise.then(
    () => steps.next(),
    (error) => steps.throw(error),
  )
}

function waits(): TypeError {
  return new TypeError('This work waits for another thread: use runAsync.')
}
