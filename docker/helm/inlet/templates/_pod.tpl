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
{{- $own := dict "TZ" "UTC" "DATA_DIR" "/data" }}
{{- if include "inlet.keys" . }}
{{- $own = set (set $own "REQUIRE_KEYS" "1") "API_KEYS_FILE" "/etc/inlet/api-keys" }}
{{- end }}
{{- if .Values.operatorsPort.enabled }}
{{- $own = set $own "ADMIN_PORT" (int .Values.operatorsPort.port | toString) }}
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
- name: models
  mountPath: /models
  readOnly: true
- name: data
  mountPath: /data
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "inlet.volumes" -}}
{{- with include "inlet.keys" . }}
- name: keys
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440
{{- end }}
- name: models
  {{- if .Values.models.enabled }}
  persistentVolumeClaim:
    claimName: {{ include "inlet.claim" (dict "root" . "values" .Values.models "name" "models") }}
    readOnly: true
  {{- else }}
  emptyDir: {} # for an init container
  {{- end }}
- name: data
  {{- if .Values.data.enabled }}
  persistentVolumeClaim:
    claimName: {{ include "inlet.claim" (dict "root" . "values" .Values.data "name" "data") }}
  {{- else }}
  emptyDir: { sizeLimit: {{ .Values.data.size }} } # of the pod: it goes with it
  {{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
