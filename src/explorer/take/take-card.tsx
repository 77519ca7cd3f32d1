import { useState } from 'preact/hooks'
import { Card } from '../draw/card.js'
import { ChoiceField } from '../recipe/fields.js'
import { KeyNote } from '../states/key-note.js'
import { answer, apiKey, model } from '../store.js'
import { DownloadButtons } from './download-buttons.js'
import { LinkButton } from './link-button.js'
import { outputsOf } from './outputs.js'
import { SnippetView } from './snippet-view.js'
import { type Source, snippetOf, takenOf, WAYS, type Way } from './snippets.js'

/** The card that gives a tensor on screen as lines to run elsewhere, as a file, as a link. */
export function TakeCard() {
  const [way, setWay] = useState<Way>('curl')
  const [name, setName] = useState('input_embeddings')
  const current = answer.value
  if (current === undefined) return null
  const outputs = outputsOf(current)
  const output = outputs.find((each) => each === name) ?? outputs[0]
  const source: Source = {
    service: new URL('.', document.baseURI).href,
    needsKey: apiKey.value !== '',
    model: model.value,
  }
  return (
    <Card
      id="take"
      title="Take it with you"
      about="The tensor that is on screen, to the last bit, made by lines that run where you work."
    >
      <div class="taken">
        <ChoiceField
          name="taken"
          label="Tensor"
          value={output}
          options={outputs.map((each) => [each, each] as const)}
          onValue={setName}
        />
        <DownloadButtons taken={takenOf(current, output, source)} />
        <LinkButton />
      </div>
      <fieldset class="tabs">
        <legend>Lines for</legend>
        {WAYS.map((each) => (
          <label key={each} class={each === way ? 'on' : ''}>
            <input type="radio" name="way" checked={each === way} onChange={() => setWay(each)} />
            {each}
          </label>
        ))}
      </fieldset>
      <SnippetView way={way} snippet={snippetOf(way, current, output, source)} />
      <KeyNote />
    </Card>
  )
}
