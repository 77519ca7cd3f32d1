import { startWorker } from './ask.js'
import type { home as service } from './home.js'

const ask = startWorker()

/** Answers of a worker in this tab, as a service gives them. */
export const home: typeof service = {
  async fetch(address, { method = 'GET', headers, body, signal } = {}) {
    const target = String(address).slice(new URL('.', document.baseURI).href.length)
    const accept = new Headers(headers).get('accept') ?? '*/*'
    const answer = await ask({ method, target, accept, body: String(body ?? '') })
    signal?.throwIfAborted()
    const { status, type, bytes, value } = answer
    return new Response(bytes ?? JSON.stringify(value), { status, headers: { 'content-type': type } })
  },
  service: () => 'http://localhost:8000/',
  about: 'Every number here is made in this tab, by the library itself: your text does not leave it.',
  doors: [
    ['docs/index.html', 'Documents'],
    ['docs/chats.html', 'Train on chats'],
    ['docs/browser.html', 'For your own page'],
    ['docs/serve.html', 'Run a service'],
  ],
  absent:
    'Datasets on disk, models of folders and tables that learn need a service, and so do the lines of curl and Python: npx inlet-lm serve.',
}
