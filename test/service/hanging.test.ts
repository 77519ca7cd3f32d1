import { expect, test } from 'vitest'
import { startServer, THREADS } from './server-process.js'

const HANG = `data:text/javascript,process.on('SIGUSR2', () => { for (;;) {} })`

test('a process whose first thread hangs is ended, whatever the signal: another thread sees it', async ({
  onTestFinished,
}) => {
  const server = startServer(
    { VOCAB_SIZE: '1000', EMBEDDING_DIM: '8', THREADS, SHUTDOWN_SECONDS: '1' },
    { nodeArgs: ['--import', HANG] },
  )
  onTestFinished(() => server.kill())
  await server.allServe()
  server.child.kill('SIGUSR2')
  server.child.kill('SIGTERM')
  expect([await server.exited, server.child.signalCode]).toEqual([null, 'SIGKILL'])
  expect(server.output.errors).toContain('the first thread does not answer')
})
