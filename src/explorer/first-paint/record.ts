import { loadAnswer } from '../answer/load.js'
import { Client, type Transport } from '../api/client.js'
import { presets } from '../recipe/presets.js'
import type { Recorded } from './recorded.js'

/** Makes the calls of the first preset on a transport, and gives them back with their answers. */
export async function record(transport: Transport): Promise<Recorded[]> {
  const recording: Recorded[] = []
  const client = new Client(async (call, accept) => {
    const response = await transport(call, accept)
    const bytes = new Uint8Array(await response.clone().arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    recording.push({
      call: JSON.parse(JSON.stringify(call)),
      type,
      body: btoa(String.fromCharCode(...bytes)),
    })
    return response
  })
  await loadAnswer(client, presets[0].recipe, async () => undefined)
  return recording.sort((a, b) => (JSON.stringify(a.call) < JSON.stringify(b.call) ? -1 : 1))
}
