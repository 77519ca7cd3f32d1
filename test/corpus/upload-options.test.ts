import { describe, expect, test } from 'vitest'
import { readDatasetUpload, type UploadType } from '../../src/corpus/upload-options.js'

const [TEXT, NDJSON, IDS] = ['text/plain', 'application/x-ndjson', 'application/octet-stream'] as const

describe('the query of an upload', () => {
  test('is read field by field', () => {
    const text =
      'encoding=gpt2&allowed_special=<a>,<b>&document_end=endoftext&documents=lines&name=My%20corpus'
    expect(readDatasetUpload(text, TEXT)).toEqual({
      encoding: 'gpt2',
      allowed_special: ['<a>', '<b>'],
      document_end: 'endoftext',
      documents: 'lines',
      name: 'My corpus',
    })
    expect(readDatasetUpload('text_field=body&document_end=7&model=m', NDJSON)).toEqual({
      text_field: 'body',
      document_end: 7,
      model: 'm',
    })
    expect(readDatasetUpload('dtype=uint16&separator_id=50256', IDS)).toEqual({
      dtype: 'uint16',
      separator_id: 50_256,
    })
    expect(readDatasetUpload('', NDJSON)).toEqual({})
  })

  test.each<[query: string, type: UploadType, param: string, message: RegExp]>([
    ['encoding=gpt2&model=m', TEXT, 'encoding', /must not be given beside `model`/],
    ['name=a', TEXT, 'encoding', /^`encoding` or `model` is needed beside text\/plain/],
    [
      'encoding=gpt2&dtype=uint16',
      TEXT,
      'dtype',
      /^`dtype` must not be given beside text\/plain: .*octet-stream/,
    ],
    ['encoding=gpt2&text_field=a', TEXT, 'text_field', /beside text\/plain: it is for application\/x-ndjson/],
    [
      'documents=lines',
      NDJSON,
      'documents',
      /beside application\/x-ndjson: it is for text\/plain. Given: "lines"$/,
    ],
    ['separator_id=1', NDJSON, 'separator_id', /beside application\/x-ndjson/],
    ['dtype=int32&allowed_special=all', IDS, 'allowed_special', /text\/plain and application\/x-ndjson/],
    ['allowed_special=all', NDJSON, 'allowed_special', /without `encoding` or `model`/],
    ['dtype=int32&document_end=endoftext', IDS, 'document_end', /without `encoding` or `model`/],
    ['', IDS, 'dtype', /^`dtype` is needed beside application\/octet-stream/],
    ['dtype=int64', IDS, 'dtype', /must be one of.*uint16.*Given: "int64"/],
    ['dtype=uint16&separator_id=-1', IDS, 'separator_id', /must be at least 0. Given: -1/],
    ['dtype=uint16&separator_id=2147483648', IDS, 'separator_id', /at most 2147483647/],
    [
      'document_end=eot',
      NDJSON,
      'document_end',
      /an integer from 0 to 2147483647, or one of endoftext, eos, bos\. Given: "eot"/,
    ],
    ['document_end=-1', NDJSON, 'document_end', /Given: -1/],
    ['text_field=input_ids', NDJSON, 'text_field', /must not be `input_ids`/],
    ['text_field=', NDJSON, 'text_field', /at least 1/],
    [`name=${'n'.repeat(257)}`, NDJSON, 'name', /at most 256/],
    ['documnts=lines', NDJSON, 'documnts', /documents/],
  ])('%s beside %s is refused', (query, type, param, message) => {
    expect(() => readDatasetUpload(query, type)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringMatching(message) }),
    )
  })
})
