import type { InjectOptions } from 'fastify'
import type { Example, Operation } from './operation.js'

/** An example as a request: path and query from its parameters, headers and bytes from its body. */
export function exampleRequest(
  { method, path }: Operation,
  { parameters = {}, body }: Example,
): InjectOptions {
  const query = new URLSearchParams()
  let url = path
  for (const [name, value] of Object.entries(parameters)) {
    const inPath = `{${name}}`
    if (url.includes(inPath)) url = url.replace(inPath, encodeURIComponent(value))
    else query.set(name, value)
  }
  if (query.size > 0) url += `?${query}`
  if (body === undefined) return { method, url }
  const payload = body.mediaType === 'application/json' ? JSON.stringify(body.value) : String(body.value)
  return { method, url, headers: { 'content-type': body.mediaType }, payload }
}
