// The limits of the framework: node limits.mjs PORT BYTES. `/empty` parses the body and answers `{}`; `/ready`
// parses it and sends a buffer of BYTES that was there before.
import fastify from 'fastify'

const [port, bytes] = process.argv.slice(2).map(Number)
const app = fastify({ bodyLimit: 1 << 26 })
const ready = Buffer.alloc(bytes, 1)
app.get('/health', async () => ({}))
app.post('/empty', async () => ({}))
app.post('/ready', (_request, reply) => reply.type('application/octet-stream').send(ready))
await app.listen({ host: '127.0.0.1', port })
