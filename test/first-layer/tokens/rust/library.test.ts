import { expect, test } from 'vitest'
import { libraryFrom } from '../../../../src/first-layer/tokens/rust/open-file.js'

/** The result of loading the library if its import fails with this error. */
function reasonFor(code: string) {
  return libraryFrom(() => Promise.reject(Object.assign(new Error('no'), { code })))
}

test('a library that is not installed, or does not run here, gives a reason and no error', async () => {
  expect(await reasonFor('ERR_MODULE_NOT_FOUND')).toContain('is not installed')
  expect(await reasonFor('ERR_DLOPEN_FAILED')).toContain(
    `does not run here (${process.platform} ${process.arch})`,
  )
  expect(await reasonFor('ERR_MODULE_NOT_FOUND')).not.toContain('does not run here')
})
