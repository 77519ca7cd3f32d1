import { MEDIA_TYPES } from '../../../decode.js'
import { type Situation, text } from '../bad-input.js'

/** Routes, methods, media types, sizes. */
// biome-ignore format: one situation a line
export const EDGE: Situation[] = [
  { name: 'no media type', body: '{"text":"a"}', headers: { 'content-type': '' }, expected: [415, 'unsupported_media_type', 'content-type'] },
  { name: 'another media type', body: '<text/>', headers: { 'content-type': 'application/xml' }, expected: [415, 'unsupported_media_type', 'content-type'], says: 'application/xml' },
  { name: 'a form', body: 'text=a', headers: { 'content-type': 'application/x-www-form-urlencoded' }, expected: [415, 'unsupported_media_type', 'content-type'] },
  { name: 'a media type that is none', body: '{}', headers: { 'content-type': 'json' }, expected: [415, 'unsupported_media_type', 'content-type'] },
  { name: 'another charset', body: '{"text":"a"}', headers: { 'content-type': 'application/json; charset=latin1' }, expected: [415, 'unsupported_media_type', 'content-type'], says: 'latin1' },
  { name: 'another charset of Unicode', body: '{"text":"a"}', headers: { 'content-type': 'application/json; charset=utf-16' }, expected: [415, 'unsupported_media_type', 'content-type'], says: 'utf-16' },
  { name: 'raw text in another charset', body: 'a', headers: { 'content-type': 'text/plain;charset="UTF-16LE"' }, expected: [415, 'unsupported_media_type', 'content-type'], says: 'utf-16le' },
  { name: 'an unknown content encoding', body: '{"text":"a"}', headers: { 'content-encoding': 'compress' }, expected: [415, 'unsupported_media_type', 'content-encoding'] },
  { name: 'an Accept that cannot be met', body: { text }, headers: { accept: 'text/html' }, expected: [406, 'not_acceptable', 'accept'], says: /application\/x-npy.*text\/html/ },
  { name: 'an Accept of quality 0', body: { text }, headers: { accept: '*/*;q=0' }, expected: [406, 'not_acceptable', 'accept'] },
  { name: 'tokens as npy', url: '/v1/tokenize', body: { text }, headers: { accept: MEDIA_TYPES.npy }, expected: [406, 'not_acceptable', 'accept'] },
  { name: 'a body over the limit', body: { text: 'a'.repeat(1_000_000) }, expected: [413, 'body_too_large', null], says: /1000000 bytes.*10000\d\d/ },
  { name: 'GET where POST is', method: 'GET', expected: [405, 'method_not_allowed', null], says: 'POST' },
  { name: 'PUT where POST is', method: 'PUT', body: { text }, expected: [405, 'method_not_allowed', null] },
  { name: 'OPTIONS where POST is', method: 'OPTIONS', expected: [405, 'method_not_allowed', null] },
  { name: 'POST where GET is', url: '/v1/models', body: {}, expected: [405, 'method_not_allowed', null] },
  { name: 'DELETE of the list', url: '/v1/models', method: 'DELETE', expected: [405, 'method_not_allowed', null] },
  { name: 'TRACE', url: '/v1/models', method: 'TRACE', expected: [405, 'method_not_allowed', null] },
  { name: 'an unknown route', url: '/v1/unknown', body: { text }, expected: [404, 'not_found', null], says: 'POST /v1/unknown' },
  { name: 'an unknown route with a media type that is none', url: '/v1/unknown', body: '{}', headers: { 'content-type': 'application/a: b' }, expected: [404, 'not_found', null] },
  { name: 'an unknown route by GET', url: '/v3', method: 'GET', expected: [404, 'not_found', null] },
  { name: 'a slash too many', url: '/v1/input-embeddings/', body: { text }, expected: [404, 'not_found', null] },
  { name: 'an unknown model’s page', url: '/v1/models/gpt-5', method: 'GET', expected: [404, 'model_not_found', 'model'] },
  { name: 'a model’s name of 10,000 letters', url: `/v1/models/${'a'.repeat(10_000)}`, method: 'GET', expected: [404, 'model_not_found', 'model'] },
  { name: 'a path that is no URL', url: '/v1/models/%zz', method: 'GET', expected: [400, 'invalid_request', null] },
  { name: 'a model’s name that is no UTF-8', url: '/v1/models/%ff', method: 'GET', expected: [400, 'invalid_request', null] },
]
