/** The formats of tensors, and one beside them that asks by quality. */
export const FORMATS = [
  'application/json',
  'application/vnd.safetensors',
  'application/x-npy',
  'application/octet-stream',
  'application/x-pytorch',
]

/** A request with a JSON body; a string or bytes are sent as they are. */
export function post(path, body, headers = {}) {
  return withBody('POST', path, 'application/json', body, headers)
}

export function put(path, body, headers = {}) {
  return withBody('PUT', path, 'application/json', body, headers)
}

/** A request with a body of plain text, its fields in the query string. */
export function text(path, body, headers = {}) {
  return withBody('POST', path, 'text/plain', body, headers)
}

function withBody(method, path, type, body, headers) {
  const isPlain = typeof body === 'string' || Buffer.isBuffer(body)
  return {
    method,
    path,
    headers: { 'content-type': type, ...headers },
    body: isPlain ? body : JSON.stringify(body),
  }
}

export function get(path, headers = {}, method = 'GET') {
  return { method, path, headers }
}

/** `{ a: 1, b: ['x'], c: { d: 2 } }` → `a=1&b=x&c.d=2` */
export function query(fields) {
  return flat(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

function flat(fields, prefix = '') {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [[prefix + name, value.join(',')]]
    if (typeof value === 'object' && value !== null) return flat(value, `${prefix}${name}.`)
    return [[prefix + name, value]]
  })
}

export const accept = (type) => (type === undefined ? {} : { accept: type })
