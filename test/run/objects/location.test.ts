import { expect, test } from 'vitest'
import { isLocation, parseLocation } from '../../../src/run/objects/location.js'

test.each([
  ['s3://bucket', { bucket: 'bucket', key: '' }],
  ['s3://bucket/', { bucket: 'bucket', key: '' }],
  ['s3://my.bucket-1/a/b c/', { bucket: 'my.bucket-1', key: 'a/b c' }],
  ['s3://bucket//a//b//', { bucket: 'bucket', key: '/a//b/' }],
])('%s', (path, location) => {
  expect(parseLocation(path)).toEqual(location)
})

test.each([
  's3://',
  's3:///a',
  's3://b',
  's3://bucket/a/../b',
  's3://bucket/.',
  's3://bucket/a\nb',
  's3://key:secret@bucket/a',
  'S3://bucket',
  's3a://bucket/a',
  '/a/b',
  `s3://bucket/${'a'.repeat(901)}`,
])('is none: %s', (path) => {
  expect(parseLocation(path)).toBeUndefined()
})

test('what has another scheme is no path of a folder', () => {
  for (const path of ['s3a://bucket/a', 'gs://bucket', 'S3://bucket']) expect(isLocation(path)).toBe(true)
  for (const path of ['a/b', './s3:/a', 'c:/a']) expect(isLocation(path)).toBe(false)
})
