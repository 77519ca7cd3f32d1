import { Agent, request } from 'node:http'

const PATH = '/v1/completions'

/** Sends the same completion again and again to one server, over one connection. */
export class Caller {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(url, body) {
    this.url = url
    this.body = body
  }

  /** Milliseconds from the call to the answer's first byte and to its end, and the answer's last event. */
  complete() {
    const { url, body } = this
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    return new Promise((resolve, reject) => {
      const start = performance.now()
      const asked = request(url + PATH, { method: 'POST', agent: this.#agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url}${PATH} answered ${response.statusCode}`))
        let first
        let last = ''
        response.setEncoding('utf8').on('data', (text) => {
          first ??= performance.now() - start
          last += text
        })
        response.on('error', reject).on('end', () => {
          const bytes = Number(/data: (\d+)\n\n$/.exec(last)?.[1])
          resolve({ first, end: performance.now() - start, bytes })
        })
      })
      asked.on('error', reject).end(body)
    })
  }

  close() {
    this.#agent.destroy()
  }
}
