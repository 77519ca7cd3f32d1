import { loadAnswer } from '../answer/load.js'
import { presets } from '../recipe/presets.js'
import { clientOf, type Recorded } from './recorded.js'

/** Makes the calls of the first preset by `fetched`, and returns them with their answers. */
export async function record(
  fetched: (target: string, request: RequestInit) => Promise<Response>,
): Promise<Recorded[]> {
  const recording: Recorded[] = []
  const client = clientOf(async (target, sent, request) => {
    const response = await fetched(target, request)
    const bytes = new Uint8Array(await response.clone().arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    recording.push({ target, ...(sent && { sent }), type, body: btoa(String.fromCharCode(...bytes)) })
    return response
  })
  await loadAnswer(client, presets[0].recipe, async () => undefined)
  const key = ({ target, sent = '' }: Recorded) => `${target} ${sent}`
  return recording.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
