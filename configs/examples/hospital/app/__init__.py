"""가상병원 원무 시스템: a made-up hospital's front office."""
