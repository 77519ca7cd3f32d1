import { readdirSync, readFileSync } from 'node:fs'

/** What a file leaves behind in its process: another module, clock or environment, a flag of V8's, a backend. */
const CHANGES_ITS_PROCESS =
  /\bvi\.(mock|doMock|resetModules|useFakeTimers|spyOn|stub\w+)\(|setFlagsFromString|process\.env\b|registerBackend/
/** What it looks at there, which others would have touched: its turns, its memory, the services of the examples. */
const LOOKS_AT_ITS_PROCESS = /countTurns|takeTurnFigures|memoryUsage|getHeap|\bgc\(|\bservices\(\)/
/** Their tests start processes and threads; what one of these still sends when its file is over concerns no other. */
const STARTS_PROCESSES = /^test\/(cli|listening|run|service|threads|tools)\//
/** Run by configurations and commands of their own. */
const ELSEWHERE = /^test\/(browser|clients|heavy)\//

/**
 * The files of tests, parted into those that need a process each and those that may share one: to load Fastify, zod
 * and TensorFlow.js anew for every file takes a third of the time of all tests.
 */
export function testFiles(): { readonly alone: string[]; readonly together: string[] } {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path}`)
    .filter((path) => path.endsWith('.test.ts') && !ELSEWHERE.test(path))
  const isAlone = (path: string): boolean => {
    const text = readFileSync(path, 'utf8')
    return STARTS_PROCESSES.test(path) || CHANGES_ITS_PROCESS.test(text) || LOOKS_AT_ITS_PROCESS.test(text)
  }
  return { alone: files.filter(isAlone), together: files.filter((path) => !isAlone(path)) }
}
