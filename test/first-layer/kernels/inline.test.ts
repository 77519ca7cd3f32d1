import asc from 'assemblyscript/asc'
import { expect, it } from 'vitest'

const { inlineMarked } = await import(
  new URL('../../../src/first-layer/kernels/assembly/inline.mjs', import.meta.url).href
)

/** Compiles a module without optimizing it: its text form, and the compiler's errors. */
async function compile(source: string, transforms: object[]): Promise<{ text: string; message: string }> {
  let text = ''
  const { error } = await asc.main(['module.ts', '--textFile', 'module.wat', '--runtime', 'stub'], {
    transforms,
    readFile: (name: string) => (name === 'module.ts' ? source : null),
    writeFile: (_name: string, contents: string | Uint8Array) => {
      text = String(contents)
    },
    listFiles: () => [],
  } as object)
  return { text, message: error?.message ?? '' }
}

const CALL = 'export function four(): i32 {\n  return twice(2)\n}\n'
const TWICE = 'function twice(n: i32): i32 {\n  return n << 1\n}\n'

it('inlines a function with the comment as with AssemblyScript’s decorator', async () => {
  const { text } = await compile(`${CALL}\n// @inline\n${TWICE}`, [inlineMarked])
  expect(text).not.toContain('call ')
  expect(text).toBe((await compile(`${CALL}\n@inline\n${TWICE}`, [])).text)
})

it('calls functions without the comment', async () => {
  expect((await compile(`${CALL}\n${TWICE}`, [inlineMarked])).text).toContain('call $module/twice')
})

it.each([
  ['a variable', `\n// @inline\nconst two: i32 = 2\n${CALL}${TWICE}`],
  ['an empty line', `${CALL}\n// @inline\n\n${TWICE}`],
])('refuses the comment before %s', async (_, source) => {
  const { message } = await compile(source, [inlineMarked])
  expect(message).toBe('module.ts: `// @inline` belongs on the line before a function')
})
