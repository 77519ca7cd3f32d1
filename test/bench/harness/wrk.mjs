import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { peer } from './python.mjs'
import { SMOKE } from './smoke.mjs'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-wrk-'))

/** wrk is Debian's package of that name; without it a plain Node client does, which is slower. */
export const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/** A second of the same requests, so that V8 has compiled them; `--smoke` has no need of that. */
export async function warmUp(request, load) {
  if (!SMOKE) await hammer(request, { ...load, seconds: 1 })
}

/**
 * The same request over and over for some seconds, on `connections` connections of one client thread.
 *
 * @param request { url, body, headers }
 * @returns { requestsPerSecond, bytesPerSecond }
 * @throws where an answer was not a 200
 */
export async function hammer(request, { seconds: asked, connections }) {
  const seconds = SMOKE ? (hasWrk ? 1 : 0.1) : asked
  const { url, body, headers } = request
  const files = mkdtempSync(join(folder, 'request-')) // a separate one: several loads may run at once
  const script = join(files, 'request.lua')
  const bodyFile = join(files, 'body')
  writeFileSync(bodyFile, body)
  const { requests, microseconds, bytes, errors } = hasWrk
    ? await withWrk()
    : JSON.parse(
        (
          await run(
            process.execPath,
            [peer('client.mjs'), url, bodyFile, JSON.stringify(headers), seconds, connections].map(String),
          )
        ).stdout,
      )
  if (errors > 0) throw new Error(`${errors} of ${requests} answers of ${url} were not 200`)
  return { requestsPerSecond: (requests * 1e6) / microseconds, bytesPerSecond: (bytes * 1e6) / microseconds }

  async function withWrk() {
    const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
    writeFileSync(
      script,
      `wrk.method = "POST"
wrk.body = io.open("${bodyFile}"):read("*a")
${lines.join('\n')}
done = function(summary)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"microseconds":%d,"bytes":%d,"errors":%d}',
    summary.requests, summary.duration, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout))
end
`,
    )
    const { stdout } = await run('wrk', [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--timeout',
      '30s',
      '-s',
      script,
      url,
    ])
    return JSON.parse(stdout.slice(stdout.lastIndexOf('{')))
  }
}
