import type { Location } from './location.js'
import type { ObjectStore } from './object-store.js'

/** Connections to a storage at once. */
const MOST_CONNECTIONS = 32
const CONNECT_MS = 3000

/** The client that is built in is of one version, whatever later ones need: it need not say so on standard error. */
const NODE_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'

/** The variables of the environment that say where a storage is, beside those that the client reads itself. */
type Environment = Readonly<Record<string, string | undefined>>

/**
 * Opens a bucket. The client is loaded here alone: who names no bucket does without its megabyte. It takes keys, region and
 * endpoint as all of Amazon's tools do: `AWS_…` variables, the shared files, a role of the machine or the pod.
 */
export async function openStore({ bucket }: Location, env: Environment = process.env): Promise<ObjectStore> {
  process.env[NODE_WARNING] ??= 'true'
  const [{ S3Client }, { S3Store }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('./s3-store.js'),
  ])
  const endpoint = env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL ?? ''
  const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS }
  const client = new S3Client({
    maxAttempts: 1, // Retries has its own law, which a body cut off in the midst is under too
    forcePathStyle: isPathStyle(env, endpoint !== ''),
    requestHandler: { connectionTimeout: CONNECT_MS, httpAgent: agent, httpsAgent: agent },
    // Bodies go up under their SHA-256; checksums beyond that are not known to every server.
    ...(env.AWS_REQUEST_CHECKSUM_CALCULATION === undefined && {
      requestChecksumCalculation: 'WHEN_REQUIRED',
    }),
    ...(env.AWS_RESPONSE_CHECKSUM_VALIDATION === undefined && {
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    // Other servers than Amazon's take any region.
    ...(endpoint !== '' && { region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1' }),
  })
  return new S3Store(client, bucket)
}

const stores = new Map<string, Promise<ObjectStore>>()

/** A bucket that this thread keeps open. */
export function storeOf(location: Location, env: Environment = process.env): Promise<ObjectStore> {
  const name = `${env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL ?? ''} ${location.bucket}`
  const known = stores.get(name) ?? openStore(location, env)
  stores.set(name, known)
  return known
}

/** Whether the bucket's name goes into the path, not before the host's: what other servers than Amazon's understand. */
function isPathStyle({ S3_PATH_STYLE: given }: Environment, hasEndpoint: boolean): boolean {
  return given === undefined ? hasEndpoint : given === 'on'
}
