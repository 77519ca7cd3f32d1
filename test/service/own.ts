import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { type ServerProcess, startServer } from './server-process.js'

/** A folder of a test file's own, removed when its tests are over. */
export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `inlet-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Starts services that end with the test that started them. */
export function ownServers(): typeof startServer {
  const servers: ServerProcess[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.kill()
      await server.exited
    }
  })
  return (...args) => {
    const server = startServer(...args)
    servers.push(server)
    return server
  }
}
