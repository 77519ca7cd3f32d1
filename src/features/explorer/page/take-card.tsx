import { useRef, useState } from 'preact/hooks'
import { Card, Choice, Tabs } from './card.js'
import { apiKey } from './flow.js'
import { home } from './home.js'
import type { Answer } from './load.js'
import { outputsOf, snippetOf, takenOf, WAYS } from './take.js'

/** Media types of the files that a tensor can be kept as. */
const FILE_TYPES = { npy: 'application/x-npy', safetensors: 'application/vnd.safetensors' } as const

/** The card that gives a tensor on screen as lines to run elsewhere, or as a file. */
export function TakeCard(current: Answer) {
  const [way, setWay] = useState<(typeof WAYS)[number]>('curl')
  const [name, setName] = useState('input_embeddings')
  const [said, setSaid] = useState('')
  const lines = useRef<HTMLPreElement>(null)
  const outputs = outputsOf(current)
  const output = outputs.find((each) => each === name) ?? outputs[0]
  const hasKey = apiKey.value !== ''
  const source = { service: home.service(), needsKey: hasKey }
  const snippet = snippetOf(way, current, output, source)
  const file = 'file' in snippet ? snippet.file : undefined
  const save = async (type: keyof typeof FILE_TYPES) => {
    const { address, body } = takenOf(current, output, new URL('.', document.baseURI).href)
    const headers = new Headers({ accept: FILE_TYPES[type], 'content-type': 'application/json' })
    if (hasKey) headers.set('authorization', `Bearer ${apiKey.value}`)
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await home.fetch(address, sent).catch(() => undefined)
    if (response?.ok) {
      keep(`${output}.${type}`, await response.blob())
      return setSaid(`${output}.${type} is saved.`)
    }
    const refusal = await response?.json().catch(() => undefined)
    setSaid(refusal?.error?.message ?? 'The service does not answer.')
  }
  const copy = async (code: string) => {
    // A page without TLS has no clipboard: the lines are then marked, to be copied by the keyboard.
    getSelection()?.selectAllChildren(lines.current!)
    await navigator.clipboard?.writeText(code)
    setSaid(navigator.clipboard ? 'Copied.' : 'Marked: copy them by the keyboard.')
  }
  return (
    <Card
      id="take"
      title="Take it with you"
      about="The tensor that is on screen, to the last bit, made by lines that run where you work. The page's address is a link to what is on screen."
    >
      <Choice
        label="Tensor"
        value={output}
        options={outputs.map((each) => [each, each] as const)}
        onValue={setName}
      />
      <Tabs label="Lines for" values={WAYS} value={way} onValue={setWay} />
      {'why' in snippet ? (
        <p class="empty">{snippet.why}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <pre ref={lines} class="lines" tabIndex={0} role="region" aria-label={`Lines for ${way}`}>
          <code>{snippet.code}</code>
        </pre>
      )}
      <div class="buttons">
        {'why' in snippet ? null : (
          <button type="button" onClick={() => copy(snippet.code)}>
            Copy the lines
          </button>
        )}
        {file === undefined ? null : (
          <button type="button" onClick={() => keep(file.name, new Blob([file.content]))}>
            Save {file.name}, which they read
          </button>
        )}
        {(['npy', 'safetensors'] as const).map((type) => (
          <button key={type} type="button" onClick={() => save(type)}>
            Save as {type}
          </button>
        ))}
        <output>{said}</output>
      </div>
      {hasKey ? (
        <p class="note">
          Your key is in none of these lines: they read it from <code>INLET_API_KEY</code>.{' '}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              apiKey.value = ''
            }}
          >
            Forget the key
          </button>
        </p>
      ) : null}
    </Card>
  )
}

/** Hands a file to the browser, which saves it. */
function keep(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
