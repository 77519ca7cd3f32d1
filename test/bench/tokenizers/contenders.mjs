import { fileURLToPath } from 'node:url'
import { installRivals, rivalPath, rivalVersion } from '../harness/npm-rivals.mjs'
import { processorSecondsOf } from '../harness/processor-time.mjs'
import { findPython, startLines, startPython } from '../harness/python.mjs'
import { startService } from '../harness/service.mjs'
import { TOKENIZERS } from './tokenizer-files.mjs'

const NODE = fileURLToPath(new URL('node-ids.mjs', import.meta.url))
const PYPI = ['gigatoken', 'fastokens', 'tokenizers', 'tiktoken']
/** Each with its package. They know OpenAI's encodings alone. */
const NPM = { 'gpt-tokenizer': 'gpt-tokenizer', 'npm tiktoken': 'tiktoken' }
export const LIBRARIES = [...PYPI, ...Object.keys(NPM)]

/** The libraries that are installed, by name: `{ gigatoken: { version, path }, … }`; `absent`: why the others are not. */
export function findLibraries() {
  const [present, absent] = [{}, []]
  for (const name of PYPI) {
    const python = findPython(name)
    if (python.absent) absent.push(`${name} is absent: ${python.absent}.`)
    else present[name] = { version: python.versions[name], path: python.path }
  }
  for (const [name, each] of Object.entries(NPM)) {
    const refusal = installRivals(each)
    if (refusal) absent.push(`${refusal}.`)
    else present[name] = { version: rivalVersion(each, rivalPath()) }
  }
  return { present, absent }
}

/** A library's tokenizer, or ours, in a separate process. @throws Error if it cannot do this tokenizer */
export function startLibrary(library, path, name, { file, folder }) {
  const { encoding = '', ranks = '', pattern } = TOKENIZERS[name]
  if (path)
    return startPython(path, 'rust_tokenizers.py', [library, file, folder, encoding, ranks, pattern ?? ''])
  if (NPM[library] && !encoding) throw new Error('it reads no tokenizer.json')
  return startLines(process.execPath, [NODE, library, file, encoding])
}

/** The service of one thread: each text is a request of `text/plain`, its ids are raw bytes. */
export async function startOwnService(name) {
  const service = await startService({ env: { THREADS: '1', ENCODING: name } })
  const url = `${service.url}/v1/input-embeddings?outputs=input_ids`
  const headers = { 'content-type': 'text/plain', accept: 'application/octet-stream' }
  return {
    async ask(texts) {
      const start = processorSecondsOf(service.child.pid)
      const ids = []
      for (const body of texts) {
        const answer = await fetch(url, { method: 'POST', body, headers })
        if (!answer.ok) throw new Error(await answer.text())
        ids.push([...new Int32Array(await answer.arrayBuffer())])
      }
      return { seconds: processorSecondsOf(service.child.pid) - start, ids }
    },
    stop: () => service.stop(),
  }
}
