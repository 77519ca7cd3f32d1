import { processorSecondsOf } from '../harness/processor-time.mjs'
import { findPython, startLines, startPython } from '../harness/python.mjs'
import { startService } from '../harness/service.mjs'
import { eachText } from './requests.mjs'
import { TOKENIZERS } from './tokenizer-files.mjs'

const OWN = new URL('own-ids.mjs', import.meta.url).pathname
/** Libraries on PyPI, by the names of their packages. */
export const LIBRARIES = ['gigatoken', 'fastokens', 'wordchipper', 'tokenizers', 'tiktoken']

/**
 * The libraries that are installed: `{ gigatoken: { path, versions }, … }`; `absent`: why the others are not there, a
 * line each.
 */
export function findLibraries() {
  const all = LIBRARIES.map((name) => [name, findPython(name)])
  const isAbsent = ([, { absent }]) => absent !== undefined
  return {
    present: Object.fromEntries(all.filter((each) => !isAbsent(each))),
    absent: all.filter(isAbsent).map(([name, { absent }]) => `${name} is absent: ${absent}`),
  }
}

/** A library's tokenizer in a separate process. @throws Error if it cannot do this tokenizer */
export function startLibrary(library, python, name, { file, folder }) {
  const { encoding = '', ranks, pattern } = TOKENIZERS[name]
  return startPython(python.path, 'rust_tokenizers.py', [
    ...[library, file, folder, encoding],
    ...[ranks, pattern ?? ''],
  ])
}

/** Our tokenizer in a separate process: tiktoken's encodings by name as the service has them, others by their file. */
export function startOwn(name, { file }) {
  return startLines(process.execPath, [OWN, file, TOKENIZERS[name].encoding ?? ''])
}

/**
 * The service of one thread.
 *
 * @param send gets its URL and texts, and gives a list of ids for each request; default: each text is a request
 */
export async function startOwnService(name, send = eachText) {
  const service = await startService({ env: { THREADS: '1', ENCODING: name } })
  return {
    async ask(texts) {
      const start = processorSecondsOf(service.child.pid)
      const lists = await send(service.url, texts)
      const seconds = processorSecondsOf(service.child.pid) - start
      return { seconds, ids: lists.map((ids) => [...ids]) }
    },
    stop: () => service.stop(),
  }
}
