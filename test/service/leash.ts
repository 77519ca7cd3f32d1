import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * A process that reads ids from its standard input: `+12` is on the leash, `-12` no more. When the input ends, whatever
 * ended this process, it kills those that are left. It has a separate process group, which Ctrl-C does not reach.
 */
const SCRIPT = `
const held = new Set()
let rest = ''
process.stdin.on('data', (bytes) => {
  const lines = (rest + bytes).split('\\n')
  rest = lines.pop()
  for (const line of lines) held[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)))
})
process.stdin.on('end', () => {
  for (const pid of held) try { process.kill(pid, 'SIGKILL') } catch {}
})`

let holder: ChildProcess | undefined

function startHolder(): ChildProcess {
  const started = spawn(process.execPath, ['-e', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  started.unref()
  ;(started.stdin as Socket).unref()
  return started
}

/** Kills a process when this one ends before it, however that comes about: a run of the tests may be killed. */
export function leash(child: ChildProcess): void {
  holder ??= startHolder()
  const say = (line: string) => holder?.stdin?.write(line)
  say(`+${child.pid}\n`)
  child.once('exit', () => say(`-${child.pid}\n`))
}
