export * from './documents.js' // until the features import it from there
