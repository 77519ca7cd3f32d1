import { spawn } from 'node:child_process'

/**
 * Ends a child with this process, however that comes about: a shell waits for the end of a pipe that only this process
 * holds, and kills the child then, unless it was told that the child has ended before.
 */
export function endWithUs(child) {
  const keeper = spawn('sh', ['-c', `read ended || kill -9 ${child.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  keeper.unref()
  keeper.stdin.unref()
  keeper.stdin.on('error', () => {})
  child.once('exit', () => keeper.stdin.end('ended\n'))
  return child
}
