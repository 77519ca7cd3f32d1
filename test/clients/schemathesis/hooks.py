"""What Schemathesis cannot write itself: lines of JSON, given as one text."""

import schemathesis

schemathesis.serializer.alias("application/x-ndjson", "text/plain")
