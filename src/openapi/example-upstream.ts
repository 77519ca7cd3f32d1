import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const COMPLETION = {
  id: 'cmpl-1',
  object: 'text_completion',
  created: 0,
  model: 'llama',
  choices: [{ index: 0, text: ' Paris', logprobs: null, finish_reason: 'length' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
}
const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 0,
  model: 'llama',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Paris' }, finish_reason: 'length' }],
  usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
}

/** Starts a model server's stand-in on a free port of loopback, which keeps no process alive; returns its URL. */
export async function exampleUpstream(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const answer = JSON.stringify(request.url === '/v1/completions' ? COMPLETION : CHAT)
    request.resume().on('end', () => response.end(answer))
  })
  server.on('connection', (socket) => socket.unref())
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
