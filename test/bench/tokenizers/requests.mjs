// How texts go to the service, and their ids come back: (url, texts) → lists of ids, one for each request.

/** Each text as a request of `text/plain`, its ids as raw bytes. */
export async function eachText(url, texts) {
  const lists = []
  for (const text of texts) {
    lists.push(new Int32Array(await post(`${url}/v1/input-embeddings?outputs=input_ids`, 'text/plain', text)))
  }
  return lists
}

/** All texts as one list in JSON; their ids, one text after the other, as a tensor of safetensors. */
export async function oneList(url, texts) {
  const body = JSON.stringify({ text: texts })
  const answer = await post(`${url}/v1/tokenize`, 'application/json', body, 'application/vnd.safetensors')
  const headerBytes = Number(new DataView(answer).getBigUint64(0, true))
  const header = JSON.parse(Buffer.from(answer, 8, headerBytes))
  const [begin, end] = header.input_ids.data_offsets
  return [new Int32Array(answer.slice(8 + headerBytes + begin, 8 + headerBytes + end))]
}

async function post(url, type, body, accept = 'application/octet-stream') {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': type, accept } })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.arrayBuffer()
}
