// node uploader.mjs URL FILE CONTENT_TYPE: posts the file over and over until it is told to end, and takes the
// answers as they come. Prints a line for each answer.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'

const [url, file, contentType] = process.argv.slice(2)
const body = readFileSync(file)
const headers = {
  'content-type': contentType,
  accept: 'application/octet-stream',
  'content-length': body.length,
}
const PIECE = 1 << 16

function once() {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve(`${response.statusCode} ${bytes}`))
    })
    sent.on('error', reject)
    write(0)
    function write(from) {
      for (let at = from; at < body.length; at += PIECE) {
        if (!sent.write(body.subarray(at, at + PIECE))) {
          sent.once('drain', () => write(at + PIECE))
          return
        }
      }
      sent.end()
    }
  })
}

process.on('SIGTERM', () => process.exit(0))
for (;;) console.log(await once())
