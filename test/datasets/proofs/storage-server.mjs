import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { endWithUs } from '../../attacks/harness/keeper.mjs'
import { freePort } from '../../bench/harness/service.mjs'

/** Keys for a server on this machine alone. */
export const KEYS = { AWS_ACCESS_KEY_ID: 'proofproof', AWS_SECRET_ACCESS_KEY: 'proof-proof-proof-1' }

/** A real server of S3's protocol: MinIO's binary over `folder`, or moto (in memory) of a Python. */
export async function startStorage({ minio, python, folder }) {
  const port = await freePort()
  const [command, args] = minio
    ? [minio, ['server', '--quiet', '--address', `127.0.0.1:${port}`, folder]]
    : [python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)]]
  let child
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
  const storage = {
    port,
    async start() {
      const env = {
        ...process.env,
        MINIO_ROOT_USER: KEYS.AWS_ACCESS_KEY_ID,
        MINIO_ROOT_PASSWORD: KEYS.AWS_SECRET_ACCESS_KEY,
      }
      child = spawn(command, args, { env, stdio: 'ignore' })
      endWithUs(child)
      while (!(await isUp())) await delay(50)
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
  await storage.start()
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    ...{ region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId: KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY },
  })
  await client.send(new CreateBucketCommand({ Bucket: 'proof' }))
  return { ...storage, client }
}

/** Stands before a storage, and is slow, refuses or breaks off as `faults` says; counts what it passes on. */
export async function faultyProxy(port, faults) {
  const agent = new Agent({ keepAlive: true })
  const counts = { requests: 0, broken: 0 }
  const server = createServer(async (incoming, outgoing) => {
    counts.requests++
    const { slowMs, share } = faults
    if (slowMs > 0) await delay(slowMs)
    const draw = Math.random()
    if (draw < share) {
      counts.broken++
      if (draw < share / 3) return refuse(incoming, outgoing, 500, 'InternalError')
      if (draw < (2 * share) / 3) return refuse(incoming, outgoing, 503, 'SlowDown')
    }
    const { method, url: path, headers } = incoming
    const onward = request({ port, host: '127.0.0.1', method, path, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders)
      answer.on('error', () => outgoing.destroy())
      if (draw >= share) return answer.pipe(outgoing)
      answer.once('data', (chunk) =>
        outgoing.write(chunk.subarray(0, chunk.length >> 1), () => outgoing.destroy()),
      )
      answer.once('end', () => outgoing.destroy())
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.writeContinue()
    server.emit('request', incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: server.address().port, counts, close: () => server.close() }
}

function refuse(incoming, outgoing, status, code) {
  incoming.resume()
  outgoing.writeHead(status, { 'Content-Type': 'application/xml' })
  outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>now and then</Message></Error>`)
}
