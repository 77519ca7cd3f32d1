import { setFlagsFromString } from 'node:v8'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instantiateTokenizeKernel } from '../../../src/first-layer/kernels/tokenize-kernel.js'
import { instantiate } from '../../../src/first-layer/kernels/wasm-module.js'
import { runAsync } from '../../../src/first-layer/steps.js'

beforeAll(() => setFlagsFromString('--allow-natives-syntax'))
afterAll(() => setFlagsFromString('--no-allow-natives-syntax'))

/** Whether V8's optimizing compiler made the code of a kernel's function. */
function isOptimized(kernel: object, name: string): boolean {
  const ask = new Function('exported', 'return %IsTurboFanFunction(exported)')
  return ask((kernel as Record<string, unknown>)[name])
}

describe('the kernel of tokenizers', () => {
  test('is optimized before its first call', async () => {
    const kernel = await runAsync(instantiateTokenizeKernel())
    for (const name of ['run', 'buildSome', 'countCharacters', 'makeRoom'])
      expect(isOptimized(kernel, name), name).toBe(true)
  })

  test('leaves other kernels to V8', () => {
    expect(isOptimized(instantiate<object>('token-json'), 'reserve')).toBe(false)
  })
})
