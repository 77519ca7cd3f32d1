{{- define "inlet.annotations" -}}
{{- if and .Values.scrape.annotations (not .Values.podMonitor.enabled) -}}
prometheus.io/scrape: "true"
prometheus.io/port: {{ ternary (toString (int .Values.operatorsPort.port)) "8000" .Values.operatorsPort.enabled | quote }}
prometheus.io/path: /metrics
{{ end }}
{{- with .Values.podAnnotations }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- /* The container's variables: those that other values ask for, unless `env` has them. */ -}}
{{- define "inlet.env" -}}
{{- if not (hasKey .Values.env "THREADS") }}
- name: THREADS # one event loop for each core of the limit
  valueFrom:
    resourceFieldRef:
      resource: limits.cpu
{{- end }}
{{- $own := dict }}
{{- if include "inlet.keys" . }}
{{- $own = set (set $own "REQUIRE_KEYS" "1") "API_KEYS_FILE" "/etc/inlet/api-keys" }}
{{- end }}
{{- if .Values.operatorsPort.enabled }}
{{- $own = set $own "ADMIN_PORT" (int .Values.operatorsPort.port | toString) }}
{{- end }}
{{- if .Values.data.enabled }}
{{- $own = set $own "DATA_DIR" "/data" }}
{{- end }}
{{- range $name, $value := merge (deepCopy .Values.env) $own }}
- name: {{ $name }}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- end }}

{{- define "inlet.mounts" -}}
{{- if include "inlet.keys" . }}
- name: keys
  mountPath: /etc/inlet
  readOnly: true
{{- end }}
{{- if .Values.models.enabled }}
- name: models
  mountPath: /models
  readOnly: true
{{- end }}
{{- if .Values.data.enabled }}
- name: data
  mountPath: /data
{{- end }}
{{- end }}

{{- define "inlet.volumes" -}}
{{- with include "inlet.keys" . }}
- name: keys
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440
{{- end }}
{{- if .Values.models.enabled }}
- name: models
  persistentVolumeClaim:
    claimName: {{ include "inlet.claim" (dict "root" . "values" .Values.models "name" "models") }}
    readOnly: true
{{- end }}
{{- if .Values.data.enabled }}
- name: data
  persistentVolumeClaim:
    claimName: {{ include "inlet.claim" (dict "root" . "values" .Values.data "name" "data") }}
{{- end }}
{{- end }}
