/** A copy of bytes with one to three changes: a byte, a piece left out, doubled, moved, or what HTTP and JSON are made of. */
export function changed(draw, bytes) {
  let result = Buffer.from(bytes)
  for (let i = 1 + draw.upTo(3); i > 0; i--) result = draw.one(CHANGES)(draw, result)
  return result
}

const PIECES = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\0',
  ' ',
  ':',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  '-',
  '1e999',
  'null',
  '\ufeff',
  '%00',
  '%',
  '&',
  '=',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: b\r\n',
  'Expect: 100-continue\r\n',
  'X-Request-Timeout: 0.001\r\n',
  'X-Request-Timeout: -1\r\n',
  'Connection: upgrade\r\n',
  'X-Request-Id: \x01\r\n',
  'Accept: ;q=\r\n',
  '🌊',
  '\xff\xfe',
]

const CHANGES = [
  ({ upTo }, bytes) => {
    if (bytes.length > 0) bytes[upTo(bytes.length)] = upTo(256)
    return bytes
  },
  ({ upTo }, bytes) => {
    if (bytes.length > 0) bytes[upTo(bytes.length)] ^= 1 << upTo(8)
    return bytes
  },
  ({ upTo }, bytes) => {
    const from = upTo(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + upTo(20))])
  },
  ({ upTo }, bytes) => bytes.subarray(0, upTo(bytes.length + 1)),
  ({ upTo }, bytes) => {
    const from = upTo(bytes.length + 1)
    const piece = bytes.subarray(from, from + upTo(30))
    return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from)])
  },
  ({ upTo, one }, bytes) => {
    const at = upTo(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(one(PIECES)), bytes.subarray(at)])
  },
]
