import type { Call, Transport } from '../api/client.js'

/** An answer of the service, as it came, with the call that it answers. */
export interface Recorded {
  readonly call: Call
  readonly type: string
  /** The bytes, in base64. */
  readonly body: string
}

/** Answers calls from a recording: the first preset paints before any call is made. */
export function fromRecording(recording: readonly Recorded[]): Transport {
  return (call) => {
    const found = recording.find((each) => JSON.stringify(each.call) === JSON.stringify(call))
    if (found === undefined) return Promise.reject(new Error(`${call.path} is not recorded`))
    const bytes = Uint8Array.from(atob(found.body), (letter) => letter.charCodeAt(0))
    return Promise.resolve(new Response(bytes, { headers: { 'content-type': found.type } }))
  }
}
