import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.doUnmock('tokenizers')
  vi.resetModules()
})

const failure = (code: string) => () => {
  throw Object.assign(new Error('no'), { code })
}

/** What loading the library gives where importing it fails so. */
async function reasonFor(code: string): Promise<string | undefined> {
  vi.resetModules()
  vi.doMock('tokenizers', failure(code))
  const { loadLibrary } = await import('../../../src/tokens/foreign/library.js')
  return (await loadLibrary()).reason
}

test('a library that is not installed, or does not run here, is a reason and no error', async () => {
  expect(await reasonFor('ERR_MODULE_NOT_FOUND')).toContain('the optional package `tokenizers`')
  expect(await reasonFor('ERR_DLOPEN_FAILED')).toContain(
    `does not run here (${process.platform} ${process.arch})`,
  )
})
