"""Date formats as templates write them (`date:"j M Y, H:i"`), for values that have no filter."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
