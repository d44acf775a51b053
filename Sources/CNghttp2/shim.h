#ifndef REVEILLE_CNGHTTP2_SHIM_H
#define REVEILLE_CNGHTTP2_SHIM_H
#include <nghttp2/nghttp2.h>
#include <stdbool.h>

/* A header field whose name and value the library does not copy: both stay where they are until the frame was sent. */
static inline nghttp2_nv reveille_nghttp2_field(const uint8_t *name, size_t name_count, const uint8_t *value,
                                                size_t value_count, bool never_indexed) {
  nghttp2_nv field;
  field.name = (uint8_t *)name;
  field.value = (uint8_t *)value;
  field.namelen = name_count;
  field.valuelen = value_count;
  field.flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
  if (never_indexed) field.flags |= NGHTTP2_NV_FLAG_NO_INDEX;
  return field;
}

/* The parts of the frame union that the client's callbacks read, without importing a copy of the whole union. */
static inline uint8_t reveille_nghttp2_frame_type(const nghttp2_frame *frame) { return frame->hd.type; }
static inline uint8_t reveille_nghttp2_frame_flags(const nghttp2_frame *frame) { return frame->hd.flags; }
static inline int32_t reveille_nghttp2_frame_stream(const nghttp2_frame *frame) { return frame->hd.stream_id; }
static inline bool reveille_nghttp2_frame_ends_stream(const nghttp2_frame *frame) {
  return (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
         (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}
static inline bool reveille_nghttp2_frame_is_ack(const nghttp2_frame *frame) {
  return (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
}
static inline const uint8_t *reveille_nghttp2_ping_data(const nghttp2_frame *frame) { return frame->ping.opaque_data; }
static inline int32_t reveille_nghttp2_goaway_last_stream(const nghttp2_frame *frame) {
  return frame->goaway.last_stream_id;
}
static inline uint32_t reveille_nghttp2_goaway_code(const nghttp2_frame *frame) { return frame->goaway.error_code; }
static inline const uint8_t *reveille_nghttp2_goaway_debug(const nghttp2_frame *frame) {
  return frame->goaway.opaque_data;
}
static inline size_t reveille_nghttp2_goaway_debug_count(const nghttp2_frame *frame) {
  return frame->goaway.opaque_data_len;
}
#endif
