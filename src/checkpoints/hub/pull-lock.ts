import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { HubError } from './hub-error.js'

/**
 * Marks a pull's folder as used by this process, by a file with its host and id.
 *
 * @throws HubError where a living process of this host uses it
 */
export async function lock(path: string, target: string): Promise<void> {
  const own = `${hostname()} ${process.pid}`
  const isOurs = await writeFile(path, own, { flag: 'wx' }).then(
    () => true,
    (error) => {
      if (error.code !== 'EEXIST') throw error
      return false
    },
  )
  if (isOurs) return
  const [host, pid] = (await readFile(path, 'utf8').catch(() => '')).split(' ')
  if (host === hostname() && lives(Number(pid))) {
    throw new HubError(`Process ${pid} pulls to ${target}. Where it does not, remove ${path}.`)
  }
  await writeFile(path, own)
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
