import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Things that a file leaves behind in its process: another module, clock or environment, a flag of V8's, a backend. */
const CHANGES_ITS_PROCESS =
  /\bvi\.(mock|doMock|resetModules|useFakeTimers|spyOn|stub\w+)\(|setFlagsFromString|registerBackend|assign\(process\.env|delete process\.env|process\.env(\.\w+|\[\w+\]) =[^=]/
/** Things that it measures there, which other files would change: its turns, its memory, the services of the examples. */
const LOOKS_AT_ITS_PROCESS = /countTurns|takeTurnFigures|memoryUsage|getHeap|\bgc\(|\bservices\(\)/
/**
 * Their tests start processes and threads; what one of these still sends when its file is over concerns no other. The
 * OpenAPI document is made of tables that features fill when they are imported: in a process where nothing else was.
 */
const STARTS_PROCESSES = /node:child_process/
const FOLDERS_OF_PROCESSES =
  /^test\/(cli|house|run|tools)\/|^test\/service\/([^/]+$|threads\/|process\/listening\/|document\/document\.)/
/** Run by other configurations and commands. */
const ELSEWHERE = /^test\/(browser|clients|heavy)\//

/**
 * The files of tests, parted into those that need a process each and those that may share one: to load Fastify, zod
 * and TensorFlow.js again for every file takes a third of the time of all tests.
 */
export function testFiles(): { readonly alone: string[]; readonly together: string[] } {
  const files = ['test', ...readdirSync('packages').map((name) => `packages/${name}/test`)]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith('.test.ts') && !ELSEWHERE.test(path))
  const alone = new Set(files.filter(isAlone))
  return { alone: [...alone], together: files.filter((path) => !alone.has(path)) }
}

function isAlone(path: string): boolean {
  if (FOLDERS_OF_PROCESSES.test(path) || LOOKS_AT_ITS_PROCESS.test(readFileSync(path, 'utf8'))) return true
  return withHelpers(path).some((text) => CHANGES_ITS_PROCESS.test(text) || STARTS_PROCESSES.test(text))
}

/** The texts of a file and of all in `test` that it imports. */
function withHelpers(path: string, seen = new Set<string>()): string[] {
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  const helpers = [...text.matchAll(/ from '(\.[^']+)'/g)]
    .map(([, name = '']) => join(dirname(path), name.replace(/\.js$/, '.ts')))
    .filter((helper) => /^(packages\/[^/]+\/)?test\//.test(helper) && !seen.has(helper) && existsSync(helper))
  return [text, ...helpers.flatMap((helper) => withHelpers(helper, seen))]
}
