import { useState } from 'preact/hooks'
import { say } from '../draw/say.js'
import { Field } from '../recipe/fields.js'
import { datasetCalls } from '../service.js'
import { model, models } from '../store.js'
import { chooseDataset, datasets } from './state.js'

/** Takes a text file, by choice or by drop, and makes a dataset of it with the encoding of the model on screen. */
export function UploadField() {
  const [note, setNote] = useState('')
  const encoding = (model.value ?? models.value[0])?.encoding
  if (encoding == null) return null
  const upload = async (file: File | undefined) => {
    if (file === undefined) return
    setNote(`${file.name} is on its way …`)
    try {
      const made = await datasetCalls().upload(file, encoding, {})
      datasets.value = [made, ...(datasets.peek() ?? []).filter(({ id }) => id !== made.id)]
      chooseDataset(made.id)
      setNote('')
      say(`${file.name} is a dataset of ${made.num_tokens} tokens`)
    } catch (reason) {
      setNote((reason as Error).message)
    }
  }
  return (
    <Field name="upload" label="New dataset from a .txt">
      <input
        id="field-upload"
        type="file"
        accept=".txt,text/plain"
        onChange={({ currentTarget: { files } }) => void upload(files?.[0])}
      />
      <p class="note" role="status">
        {note}
      </p>
    </Field>
  )
}
