import { request as http } from 'node:http'
import { request as https } from 'node:https'
import { askedAddress } from './listening/address.js'

// `node dist/health-check.js`, the container's health check: exit code 0 where the service that the environment
// describes is ready. It asks the operators' port where there is one, which needs no client's certificate.

// The certificate is for the names that callers use, and this asks the machine itself.
const options = { ...askedAddress(process.env), path: '/health/ready', rejectUnauthorized: false }

const call = (process.env.TLS_CERT_FILE ? https : http)(options, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
)
call.on('error', () => process.exit(1)).end()
