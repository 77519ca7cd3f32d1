export * from './mixture-batch.js' // until the features import it from there
