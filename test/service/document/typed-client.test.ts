import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { DOCUMENT } from './documented.js'
import { exampleApp } from './example-app.js'

/** The client's types do not exist on disk: this imports only its code. */
const CLIENT = new URL('../../clients/typescript/client.ts', import.meta.url).href
const FOLDER = join(process.cwd(), 'test/clients/typescript')
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
}

/** The compiler's messages for a program; files in memory come before files on disk. */
function compile(root: string, inMemory: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => inMemory.has(path) || fileExists(path)
  host.readFile = (path) => inMemory.get(path) ?? readFile(path)
  host.getSourceFile = (path, target) => {
    const text = inMemory.get(path)
    return text === undefined ? getSourceFile(path, target) : ts.createSourceFile(path, text, target)
  }
  const program = ts.createProgram([root], OPTIONS, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('types that openapi-typescript makes of openapi.yaml', () => {
  let types: string

  beforeAll(async () => {
    // It changes the document that it gets, which other files of this process read.
    types = astToString(await openapiTS(structuredClone(DOCUMENT) as never, { silent: true }))
  })

  it('compile with a client, and refuse what the service refuses', () => {
    const wrong = `
import type { EmbedBody } from './client.js'
// @ts-expect-error an unknown field
export const a: EmbedBody = { text: 'Hello', block_size: 4 }
// @ts-expect-error a wrong type
export const b: EmbedBody = { text: 'Hello', context_length: '4' }
// @ts-expect-error an unknown output
export const c: EmbedBody = { text: 'Hello', outputs: ['logits'] }
// @ts-expect-error an option of another scheme
export const d: EmbedBody = { text: 'Hello', position_embedding: { type: 'alibi', head_dim: 8 } }
`
    const files = new Map([
      [join(FOLDER, 'openapi.ts'), types],
      [join(FOLDER, 'wrong.ts'), `${wrong}export { client } from './client.js'\n`],
    ])
    expect(compile(join(FOLDER, 'wrong.ts'), files)).toEqual([])
  })

  it('make a client that gets true answers', async () => {
    const { client, firstNumber, requests } = await import(/* @vite-ignore */ CLIENT)
    const app = await exampleApp()
    const inlet = client(await app.listen({ port: 0, host: '127.0.0.1' }))
    for (const body of requests) expect((await inlet.embed(body)).num_tokens).toBeGreaterThan(0)
    const { outputs } = await inlet.embed({ text: 'Hello' })
    expect(outputs.input_embeddings?.shape).toEqual([1, 1, 256])
    expect(firstNumber(outputs.input_embeddings)).toBe(0.676421)
    const rope = await inlet.positions({
      context_length: 4,
      position_embedding: 'rope',
      'position_embedding.head_dim': 8,
    })
    expect(rope.outputs.cos?.shape).toEqual([4, 4])
    expect((await inlet.tokenize({ text: 'Hello, world!' })).input_ids).toEqual([15496, 11, 995, 0])
    await expect(inlet.embed({ text: 'Hello', context_length: 1025 })).rejects.toThrow('context_too_long')
    await app.close()
  })
})
