import { describe, expect, test } from 'vitest'
import {
  type Blocks,
  PAUSE,
  run,
  runAsync,
  runBlocks,
  type Steps,
  waitFor,
} from '../../src/first-layer/steps.js'

function* counted(): Steps<number> {
  yield 4096
  yield PAUSE
  yield -4096
  return 7
}

describe('steps without a service', () => {
  test('run straight to their result, at once or behind a promise', async () => {
    expect(run(counted())).toBe(7)
    expect(await runAsync(counted())).toBe(7)
  })

  test('that wait for another thread are refused by run, and awaited by runAsync', async () => {
    const steps = () => waitFor(Promise.resolve('ids'))
    expect(() => run(steps())).toThrow(TypeError)
    expect(await runAsync(steps())).toBe('ids')
  })

  test('get the error of what they wait for at the step where they wait', async () => {
    function* caught(): Steps<string> {
      try {
        return yield* waitFor(Promise.reject<string>(new Error('gone')))
      } catch (error) {
        return `${(error as Error).message}, and tidied up`
      }
    }
    expect(await runAsync(caught())).toBe('gone, and tidied up')
  })

  test('of work that yields blocks give the blocks alone', () => {
    function* blocks(): Blocks {
      yield PAUSE
      yield Uint8Array.of(1)
      yield 10
      yield Uint8Array.of(2, 3)
    }
    expect([...runBlocks(blocks())].map((block) => [...block])).toEqual([[1], [2, 3]])
  })
})
